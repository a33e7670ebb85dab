"""Studies are read strictly, and say which points they promise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verdict_assets.config.studies import load_studies, study_named
from verdict_assets.errors import UserError
from verdict_assets.inference.prompts import load_prompt

ROOT = Path(__file__).parents[3]
GREEDY = "  - {name: greedy, temperature: 0.0, top_p: 1.0, max_tokens: 8}"


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str, str], Path]:
    """A project with studies/main.yaml in which one text is replaced by another."""

    def edit(old: str, new: str) -> Path:
        text = (ROOT / "studies" / "main.yaml").read_text()
        assert text.count(old) == 1, old
        (tmp_path / "studies").mkdir()
        (tmp_path / "studies" / "main.yaml").write_text(text.replace(old, new))
        return tmp_path

    return edit


def test_the_studies_that_ship_are_readable_and_use_prompts_that_exist() -> None:
    studies = load_studies(ROOT)
    assert {"main", "main_hot"} <= set(studies)
    for study in studies.values():
        assert {load_prompt(name).name for name in study.prompts} == set(study.prompts)


def test_the_hot_study_differs_in_sampling_only() -> None:
    studies = load_studies(ROOT)
    main, hot = studies["main"].mapping(), studies["main_hot"].mapping()
    assert {key for key in main if main[key] != hot[key]} == {"name", "title", "generation"}


def test_greedy_judges_are_one_score_set() -> None:
    main = load_studies(ROOT)["main"]
    assert [score_set.name for score_set in main.score_sets] == ["greedy"]
    assert main.points == tuple((strategy, "greedy") for strategy in main.strategies)


def test_every_judge_seed_is_a_score_set_with_its_own_strategies(edited: Callable[[str, str], Path]) -> None:
    sampled = (
        "\n  - {name: sampled, temperature: 0.8, top_p: 1.0, max_tokens: 8, seeds: [0, 4], "
        "strategies: [verdict, mean]}"
    )
    main = load_studies(edited(GREEDY, GREEDY + sampled))["main"]
    assert [(found.name, found.draw) for found in main.score_sets] == [
        ("greedy", None),
        ("sampled-0", 0),
        ("sampled-4", 4),
    ]
    assert main.points[-4:] == (
        ("verdict", "sampled-0"),
        ("mean", "sampled-0"),
        ("verdict", "sampled-4"),
        ("mean", "sampled-4"),
    )


def test_a_whole_benchmark(edited: Callable[[str, str], Path]) -> None:
    main = load_studies(edited("scenes_3d: 200", "scenes_3d: all"))["main"]
    assert main.benchmarks == {"scenes_2d": 200, "scenes_3d": None}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: main", "name: other", "name: 'other' must equal the file's name, 'main'"),
        (
            "top_p: 0.6",
            "top_k: 5",
            "generation.top_k: unknown key; known here: temperature, top_p, max_tokens, seed",
        ),
        ("top_p: 0.6", "top_p: 0", "generation.top_p: 0 is not a number above 0 and at most 1"),
        ("{name: logical, model", "{name: visual, model", "judges: the same name is given twice"),
        ("{name: logical, model", "{name: Logical!, model", "'Logical!' is not made of small letters"),
        ("temperature: 0.0", "temperature: 0.5", "judge_decoding[0].seeds: a sampled decoding"),
        ("max_tokens: 8", "max_tokens: 8, seeds: [0]", "judge_decoding[0].seeds: greedy decoding"),
        ("max_tokens: 8", "max_tokens: 8, strategies: [magic]", "'magic' is not among the strategies"),
        ("  - mean\n", "  - mean\n  - mean\n", "strategies: the same entry is given twice"),
        ("scenes_2d: 200", "scenes_2d: many", "benchmarks.scenes_2d: 'many' is not a whole number"),
        ("base: {model: scenes-base, prompt: scenes/base.txt}", "base: []", "base: [] is not a mapping"),
        ("judges:\n", "jury:\n", "judges: missing; expected a non-empty list of mappings"),
    ],
)
def test_a_fault_is_named(edited: Callable[[str, str], Path], old: str, new: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        load_studies(edited(old, new))
    assert caught.value.where == "studies/main.yaml"
    assert message in caught.value.what


def test_a_study_that_does_not_exist_is_told_with_those_that_do() -> None:
    with pytest.raises(UserError, match="no study 'mian'") as caught:
        study_named(load_studies(ROOT), "mian")
    assert caught.value.remedy is not None and "main, main_hot" in caught.value.remedy


def test_no_study_at_all_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no study was found"):
        load_studies(tmp_path)
