"""An explained path is the path of the tables, with the numbers of the decision."""

from __future__ import annotations

import dataclasses

import pytest

from verdict_assets.analysis.explanation import explain
from verdict_assets.analysis.replays import strategies_of
from verdict_assets.reporting.explanation import text
from verdict_assets.verification.strategy import Missing

JUDGES = ("visual", "logical", "contextual")
QUESTION = "scenes_2d-0001"


def path(world, slug: str, question: str = QUESTION):
    strategies = strategies_of(world.studies["main"], world.params)
    return explain(world.recorded, question, strategies[slug], "greedy", JUDGES, 3)


@pytest.mark.parametrize("slug", ["base", "verdict", "majority", "permuted", "no_selection", "visual_only"])
def test_path_is_the_one_in_the_tables(closed_world, slug: str) -> None:
    rows = closed_world.selections()
    rows = rows[(rows["strategy"] == slug) & (rows["question_id"] == QUESTION)]
    found = path(closed_world, slug)
    assert [(step.node, step.chosen, step.fallback, step.tie) for step in found.steps] == list(
        rows[["node", "chosen", "fallback", "tie"]].itertuples(index=False, name=None)
    )
    accepted = [sum(option.accepted for option in step.options) if step.judged else 0 for step in found.steps]
    assert accepted == rows["accepted_count"].tolist()
    assert found.closed
    assert text(found).count("chosen: candidate") == sum(step.judged for step in found.steps)


def test_numbers_are_those_of_the_consensus_table(closed_world) -> None:
    table = closed_world.consensus().set_index(["node", "candidate"])
    for step in path(closed_world, "verdict").steps[1:]:
        for option in step.options:
            row = table.loc[(step.node, option.index)]
            if option.usable:
                mean, dispersion = option.comparisons
                assert mean.value == pytest.approx(row["mean"], abs=1e-12)
                assert dispersion.value == pytest.approx(row["dispersion"], abs=1e-12)
                assert list(option.adjusted.values()) == pytest.approx(row["adjusted"], abs=1e-12)
            assert option.accepted == row["accepted"]


def test_text_says_why(closed_world) -> None:
    said = text(path(closed_world, "verdict"))
    assert "step 1, not judged" in said
    assert "> 0.6?" in said
    assert "< 0.1?" in said
    assert "accepted" in said
    assert "judges" not in text(path(closed_world, "base"))


def test_missing_scores_are_named(closed_world) -> None:
    scores = closed_world.raw_scores.copy()
    node = path(closed_world, "verdict").steps[1].node
    lost = (scores["node"] == node) & (scores["judge"] == "logical")
    scores["score"] = scores["score"].where(~lost, None)
    scores["reason"] = scores["reason"].where(~lost, "two numbers")
    world = dataclasses.replace(closed_world, raw_scores=scores)
    step = path(world, "verdict").steps[1]
    assert (step.chosen, step.fallback) == (0, True)
    said = text(path(world, "verdict"))
    assert "logical missing (two numbers)" in said
    assert "no candidate has the scores that are needed" in said
    strategy = strategies_of(world.studies["main"], world.params)["verdict"]
    present = dataclasses.replace(strategy, missing=Missing.PRESENT)
    option = explain(world.recorded, QUESTION, present, "greedy", JUDGES, 3).steps[1].options[0]
    assert list(option.adjusted) == ["visual", "contextual"]


def test_unfinished_path_says_so(open_world) -> None:
    found = path(open_world, "verdict")
    assert (found.closed, found.leaf, found.correct, found.end) == (False, None, None, None)
    assert "unfinished" in text(found)
