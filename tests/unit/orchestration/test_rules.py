"""Every rule holds of a simulated run, finished or not, and each is broken by the fault it is there for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.orchestration.rules import RULES, require
from verdict_assets.orchestration.setting import Setting
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.check import conform

Frames = dict[str, pd.DataFrame]
RULE = {rule.name: rule for rule in RULES}


def frames(world) -> Frames:  # type: ignore[no-untyped-def]
    made = {
        "questions": world.questions,
        "candidates": world.candidates,
        "raw_scores": world.raw_scores,
        "answers": world.answers,
        "step_labels": world.step_labels,
        "consensus": world.consensus(),
        "selections": world.selections(),
        "outcomes": world.outcomes(),
        "main_comparison": world.comparison(),
        "score_manifest": manifest(world.studies),
    }
    return {name: conform(frame, TABLES[name]) for name, frame in made.items()}


def manifest(studies) -> pd.DataFrame:  # type: ignore[no-untyped-def]
    key = {"rows": 1, "sha256": "0", "closed": True, "draft": False, "questions": 1, "questions_closed": 1}
    key |= {"requests": 1, "prompt_tokens": 1, "output_tokens": 1}
    return pd.DataFrame(
        {"study": study.name, "benchmark": benchmark, "table_name": name, **key}
        for study in studies.values()
        for benchmark in study.benchmarks
        for name, table in TABLES.items()
        if table.partitioned
    )


@pytest.fixture(scope="module")
def setting(closed_world) -> Setting:  # type: ignore[no-untyped-def]
    return Setting(Project(Path("nowhere")), closed_world.params, closed_world.studies)


@pytest.fixture
def tables(closed_world) -> Frames:  # type: ignore[no-untyped-def]
    return frames(closed_world)


@pytest.mark.parametrize("name", RULE)
def test_a_finished_run_breaks_no_rule(name: str, setting: Setting, tables: Frames) -> None:
    assert RULE[name].broken(setting, tables) == []


def test_an_unfinished_run_breaks_no_rule(open_world) -> None:  # type: ignore[no-untyped-def]
    setting = Setting(Project(Path("nowhere")), open_world.params, open_world.studies)
    tables = frames(open_world)
    assert not tables["outcomes"]["closed"].all()
    assert {rule.name: broken for rule in RULES if (broken := rule.broken(setting, tables))} == {}


def first_row(name: str, **values: object) -> Callable[[Frames], None]:
    def spoil(tables: Frames) -> None:
        for column, value in values.items():
            tables[name].at[0, column] = value

    return spoil


def without_first(name: str) -> Callable[[Frames], None]:
    def spoil(tables: Frames) -> None:
        tables[name] = tables[name].iloc[1:]

    return spoil


def without_a_judged_candidate(tables: Frames) -> None:
    judged = tables["raw_scores"].iloc[0]
    drawn = tables["candidates"]
    tables["candidates"] = drawn[
        (drawn["node"] != judged["node"]) | (drawn["candidate"] != judged["candidate"])
    ]


def without_an_answered_leaf(tables: Frames) -> None:
    drawn = tables["candidates"]
    tables["candidates"] = drawn[drawn["child"] != tables["answers"].iloc[0]["node"]]


def with_a_moved_score(tables: Frames) -> None:
    agreed = tables["consensus"]
    at = agreed.index[agreed["complete"]][0]
    one, *others = agreed.at[at, "adjusted"]
    agreed.at[at, "adjusted"] = [one + 1e-6, *others]


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("scores_in_range", first_row("raw_scores", score=1.5)),
        ("scores_in_range", first_row("raw_scores", score=float("nan"), reason=None)),
        ("scores_in_range", first_row("raw_scores", reason="it was not liked")),
        ("scores_have_candidates", without_a_judged_candidate),
        ("answers_have_leaves", without_an_answered_leaf),
        ("no_lost_partitions", without_first("score_manifest")),
        ("no_lost_labels", without_first("step_labels")),
        ("no_lost_scores", without_first("consensus")),
        ("weighted_sum_preserved", with_a_moved_score),
        ("no_lost_questions", without_first("outcomes")),
        ("closed_questions_reach_a_leaf", first_row("outcomes", leaf=None)),
        ("closed_questions_reach_a_leaf", first_row("outcomes", closed=False)),
        ("paths_have_all_steps", without_first("selections")),
        ("totals_are_sums", first_row("main_comparison", judged_steps=10**6)),
        ("totals_are_sums", without_first("main_comparison")),
    ],
)
def test_a_fault_breaks_its_rule(
    name: str, spoil: Callable[[Frames], None], setting: Setting, tables: Frames
) -> None:
    spoil(tables)
    assert len(RULE[name].broken(setting, tables)) >= 1


def test_rows_that_break_a_rule_are_refused_with_the_first_of_them(setting: Setting, tables: Frames) -> None:
    require(setting, "consensus", tables, ("raw_scores",))
    tables["consensus"] = tables["consensus"].iloc[2:]
    with pytest.raises(UserError, match=r"(?s)consensus break a rule.*\(2: question_id"):
        require(setting, "consensus", tables, ("raw_scores",))


def test_a_rule_that_reads_what_is_not_there_is_left_to_the_check(setting: Setting, tables: Frames) -> None:
    del tables["selections"]
    require(setting, "outcomes", tables, ("questions", "answers"))
