"""`studies/*.yaml` as frozen values: what a study requires of models, prompts, decoding and questions.

Here: what a study *needs* (`StudySpec`). Not here: what was stored for it (the store and the tables), and
which strategies exist (the catalogue checks the names when they are used).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from verdict_assets.config.reading import Section
from verdict_assets.errors import UserError

FOLDER = "studies"
_SLUG = re.compile(r"[a-z0-9][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class BaseSpec:
    """The model that writes steps: weights folder name and prompt file (below `inference/prompts/`)."""

    model: str
    prompt: str


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """One judge: its name (a key of `consensus.stubbornness`), weights folder name and prompt file."""

    name: str
    model: str
    prompt: str


@dataclass(frozen=True, slots=True)
class GenerationSpec:
    """Sampling of steps. `seed` lets a study draw another tree from the same model."""

    temperature: float
    top_p: float
    max_tokens: int
    seed: int


@dataclass(frozen=True, slots=True)
class DecodingSpec:
    """How judges decode. `seeds` empty: one greedy reply. Otherwise one independent reply per seed.

    strategies: the names that are promised for this decoding; empty means all of the study.
    """

    name: str
    temperature: float
    top_p: float
    max_tokens: int
    seeds: tuple[int, ...] = ()
    strategies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """One complete set of judge scores: a decoding and, where it is sampled, one judge seed.

    name: "greedy", or "<decoding>-<seed>" such as "sampled-0".
    """

    name: str
    decoding: DecodingSpec
    draw: int | None


@dataclass(frozen=True, slots=True)
class StudySpec:
    """What one study requires. Judges stand in the order in which scores are stored."""

    name: str
    title: str
    dtype: str
    image_recipe: str
    base: BaseSpec
    judges: tuple[JudgeSpec, ...]
    generation: GenerationSpec
    judge_decoding: tuple[DecodingSpec, ...]
    benchmarks: Mapping[str, int | None]
    strategies: tuple[str, ...]

    @property
    def score_sets(self) -> tuple[ScoreSet, ...]:
        """Every score set, in the order of the file."""
        sets: list[ScoreSet] = []
        for decoding in self.judge_decoding:
            if not decoding.seeds:
                sets.append(ScoreSet(decoding.name, decoding, None))
            sets.extend(ScoreSet(f"{decoding.name}-{seed}", decoding, seed) for seed in decoding.seeds)
        return tuple(sets)

    @property
    def points(self) -> tuple[tuple[str, str], ...]:
        """Every promised (strategy name, score set name), in the order of the file."""
        return tuple(
            (strategy, score_set.name)
            for score_set in self.score_sets
            for strategy in (score_set.decoding.strategies or self.strategies)
        )

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompt files that the study uses, each once, sorted."""
        return tuple(sorted({self.base.prompt, *(judge.prompt for judge in self.judges)}))

    def mapping(self) -> dict[str, object]:
        """The same values as plain nested dictionaries, for fingerprints."""
        return asdict(self)


def load_studies(root: Path) -> dict[str, StudySpec]:
    """Read every `studies/*.yaml` below `root`, by name, sorted.

    Raises `UserError` that names every unknown, missing or ill-typed key of the first faulty file.
    """
    folder = root / FOLDER
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise UserError(
            "no study was found", where=FOLDER, remedy="run in the project folder, or restore studies/"
        )
    return {study.name: study for study in (_load_study(file) for file in files)}


def study_named(studies: Mapping[str, StudySpec], name: str) -> StudySpec:
    """The study called `name`. Raises `UserError` that lists the known ones."""
    if name not in studies:
        raise UserError(
            f"there is no study {name!r}", where=FOLDER, remedy=f"use one of: {', '.join(sorted(studies))}"
        )
    return studies[name]


def _load_study(file: Path) -> StudySpec:
    top = Section.of_file(file, f"{FOLDER}/{file.name}")
    top.only(
        "name", "title", "dtype", "image_recipe", "base", "judges", "generation",
        "judge_decoding", "benchmarks", "strategies",
    )  # fmt: skip
    study = StudySpec(
        name=top.text("name"),
        title=top.text("title"),
        dtype=top.text("dtype"),
        image_recipe=top.text("image_recipe"),
        base=_base(top.section("base")),
        judges=tuple(_judge(part) for part in top.sections("judges")),
        generation=_generation(top.section("generation")),
        judge_decoding=tuple(_decoding(part) for part in top.sections("judge_decoding")),
        benchmarks=_benchmarks(top.section("benchmarks")),
        strategies=top.texts("strategies"),
    )
    _check_names(top, study, file.stem)
    top.refuse_faults()
    return study


def _base(part: Section) -> BaseSpec:
    part.only("model", "prompt")
    return BaseSpec(part.text("model"), part.text("prompt"))


def _judge(part: Section) -> JudgeSpec:
    part.only("name", "model", "prompt")
    return JudgeSpec(part.text("name"), part.text("model"), part.text("prompt"))


def _generation(part: Section) -> GenerationSpec:
    part.only("temperature", "top_p", "max_tokens", "seed")
    return GenerationSpec(
        temperature=part.number("temperature", 0.0),
        top_p=part.number("top_p", 0.0, 1.0, above=True),
        max_tokens=part.integer("max_tokens", 1),
        seed=part.integer("seed", 0),
    )


def _decoding(part: Section) -> DecodingSpec:
    part.only("name", "temperature", "top_p", "max_tokens", "seeds", "strategies")
    decoding = DecodingSpec(
        name=part.text("name"),
        temperature=part.number("temperature", 0.0),
        top_p=part.number("top_p", 0.0, 1.0, above=True),
        max_tokens=part.integer("max_tokens", 1),
        seeds=part.integers("seeds", 0) if part.has("seeds") else (),
        strategies=part.texts("strategies") if part.has("strategies") else (),
    )
    if decoding.temperature > 0 and not decoding.seeds:
        part.fault("seeds", "a sampled decoding (temperature above 0) needs a list of seeds, like [0, 1, 2]")
    if decoding.temperature == 0 and decoding.seeds:
        part.fault(
            "seeds", "greedy decoding (temperature 0) gives the same reply for every seed; leave seeds out"
        )
    return decoding


def _benchmarks(part: Section) -> dict[str, int | None]:
    """Questions per benchmark, counted from the first; `all` takes every question."""
    return {name: None if part.is_word(name, "all") else part.integer(name, 1) for name in part}


def _check_names(top: Section, study: StudySpec, stem: str) -> None:
    if study.name and study.name != stem:
        top.fault("name", f"{study.name!r} must equal the file's name, {stem!r}")
    for kind, names in (
        ("name", [study.name]),
        ("judges", [judge.name for judge in study.judges]),
        ("judge_decoding", [decoding.name for decoding in study.judge_decoding]),
        ("benchmarks", list(study.benchmarks)),
    ):
        for name in names:
            if name and not _SLUG.fullmatch(name):
                top.fault(kind, f"{name!r} is not made of small letters, digits and _")
        if len(set(names)) < len(names):
            top.fault(kind, "the same name is given twice")
    if len(study.judges) == 1:
        top.fault("judges", "a consensus needs two or more judges")
    for decoding in study.judge_decoding:
        for name in decoding.strategies:
            if name not in study.strategies:
                top.fault("judge_decoding", f"{name!r} is not among the strategies of the study")
