"""Training examples: traces to write and steps to judge.

Belongs here: what the model is shown and what it must answer, as text. Token ids and tensors are in
``batches``. Everything is a function of the random generator that is passed in.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from verdict_assets.scenes.corruptions import TRAINED, Place
from verdict_assets.scenes.language import Fact, Step, write
from verdict_assets.scenes.questions import KINDS, LETTERS, SceneQuestion
from verdict_assets.scenes.rubrics import RUBRICS, grade
from verdict_assets.scenes.traces import make_trace
from verdict_assets.scenes.world import QUARTERS, SHAPES, Scene

ALL_KINDS = tuple(kind for kinds in KINDS.values() for kind in kinds)
_RUBRIC_WEIGHTS = (5, 3, 2)
_RIGHT_SHARE = 0.4
_LATE_SHARE = 0.35
"""Share of candidates at conclusion or answer, which reasoning needs most and a trace has least of."""


Grades = tuple[float, float]
"""Visual and logical grade of a step."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of text; shown but not learnt unless ``learnt``; graded when it is a judgeable step."""

    text: str
    learnt: bool = False
    grades: Grades | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A step put before a judge after the first ``after`` lines of a trace, and the score it deserves."""

    after: int
    text: str
    score: str
    grades: Grades


@dataclass(frozen=True, slots=True)
class Sample:
    """One row: a prompt and what follows it.

    A trace to write has its lines as the ``reply``. A judge's row has the trace in the prompt, and candidates
    at several places of it; ``between`` and ``cue`` are the prompt's text around a candidate.
    """

    prompt: str
    lines: tuple[Piece, ...]
    candidates: tuple[Candidate, ...] = ()
    between: str = ""
    cue: str = ""


@cache
def prompt(name: str) -> str:
    """A prompt file of the scenes world."""
    return (files("verdict_assets.inference.prompts") / "scenes" / f"{name}.txt").read_text().rstrip("\n")


def fill(template: str, question: SceneQuestion, **slots: str) -> str:
    """A prompt with the question's text, its lettered options and other slots filled in."""
    options = "\n".join(
        f"({letter}) {option}" for letter, option in zip(LETTERS, question.options, strict=True)
    )
    text = template.replace("{question}", question.text).replace("{options}", options)
    for slot, value in slots.items():
        text = text.replace("{" + slot + "}", value)
    return text


def base_sample(rng: random.Random, scene: Scene, question: SceneQuestion, noise: float) -> Sample:
    """A trace to write."""
    lines = make_trace(rng, scene, question, noise)
    texts = [line.text for line in lines]
    pieces = []
    for i, line in enumerate(lines):
        end = "" if i == len(lines) - 1 else "\n"
        graded = _grades(scene, question, texts[:i], line.text) if i else None
        pieces.append(Piece(line.text + end, not line.planted, graded))
    return Sample(fill(prompt("base"), question), tuple(pieces))


def facts_sample(rng: random.Random, scene: Scene, question: SceneQuestion) -> Sample:
    """True facts in random order, one of each object and of each quarter; only their values are learnt."""
    asked = [(thing, rng.choice(("column", "row", "depth"))) for thing in scene.things]
    facts = [Fact(attribute, thing.name, getattr(thing, attribute)) for thing, attribute in asked]
    for quarter in QUARTERS:
        shape = rng.choice(SHAPES)
        facts.append(Fact("number", quarter, scene.count(shape, quarter), shape=shape))
    rng.shuffle(facts)
    pieces = []
    for fact in facts:
        before, value, after = re.split(r"( \d+)", write(fact, question, rng))
        pieces += [Piece(before), Piece(value, learnt=True), Piece(after + "\n")]
    return Sample(fill(prompt("base"), question), tuple(pieces))


def _grades(scene: Scene, question: SceneQuestion, prefix: Sequence[str], text: str) -> Grades:
    return grade("visual", scene, question, prefix, text), grade("logical", scene, question, prefix, text)


def corrupted(rng: random.Random, place: Place, step: Step) -> Step:
    """``step`` made wrong by a random applicable kind; shifts, the commonest error, come most often."""
    kinds = list(TRAINED)
    weights = [4 if kind == "shift" else 1 for kind in kinds]
    while True:
        found = TRAINED[rng.choices(kinds, weights)[0]](rng, place, step)
        if found is not None:
            return found


def judge_sample(
    rng: random.Random,
    scene: Scene,
    question: SceneQuestion,
    noise: float,
    candidates: int,
    rubrics: Sequence[str] = RUBRICS,
) -> Sample:
    """Steps to score by one rubric along a trace with planted errors that is presented as correct."""
    weights = [_RUBRIC_WEIGHTS[RUBRICS.index(rubric)] for rubric in rubrics]
    rubric = rng.choices(list(rubrics), weights)[0]
    lines = make_trace(rng, scene, question, noise)
    texts = [line.text for line in lines]
    late = (len(lines) - 2, len(lines) - 1)
    found = []
    for _ in range(candidates):
        at = rng.choice(late) if rng.random() < _LATE_SHARE else rng.randrange(1, len(lines))
        step = lines[at].step
        if rng.random() > _RIGHT_SHARE:
            step = corrupted(rng, Place(scene, question, texts[:at]), step)
        text = write(step, question, rng)
        score = f"{grade(rubric, scene, question, texts[:at], text):.1f}"
        found.append(Candidate(at, text, score, _grades(scene, question, texts[:at], text)))
    before, _, cue = prompt(rubric).partition("{candidate}")
    head, _, between = before.partition("{trace}")
    shown = tuple(Piece(f"{text}\n") for text in texts[:-1])
    return Sample(fill(head, question), shown, tuple(found), between, cue)
