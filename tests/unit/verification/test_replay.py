"""One small tree, followed by hand: what is reached, what is missing, and who waits."""

from dataclasses import replace

import numpy as np
import pytest

from verdict_assets.verification.bounds import bounds
from verdict_assets.verification.catalogue import named_strategies
from verdict_assets.verification.replay import replay
from verdict_assets.verification.strategy import Stop
from verdict_assets.verification.tree import End, TreeBuilder

NAMED = named_strategies({})
BASE, VERDICT, MEAN = NAMED["base"], NAMED["verdict"], NAMED["mean"]


@pytest.fixture
def builder() -> TreeBuilder:
    """root -> first -> (left leaf, right, left leaf)."""
    found = TreeBuilder(candidates=3, judges=3)
    found.add_question("q", "root")
    found.add_node("first", "root")
    found.set_candidates("root", ["first"])
    return found


def sample(builder: TreeBuilder) -> None:
    builder.add_node("left", "first", End.EOS)
    builder.add_node("right", "first")
    builder.set_candidates("first", ["left", "right", "left"])


def score(builder: TreeBuilder) -> None:
    """VERDICT takes the right one, which is unanimous; the mean takes a left one, which is not."""
    builder.set_scores("first", "greedy", np.array([[0.5, 0.5, 0.5], [0.7, 0.7, 0.7], [1.0, 0.3, 1.0]]))


def test_what_is_needed_comes_one_after_the_other(builder: TreeBuilder) -> None:
    walkers = [(VERDICT, "greedy"), (MEAN, "greedy"), (BASE, "greedy"), (VERDICT, "sampled-0")]
    tree = builder.build()
    frontier = replay(walkers, tree).frontier
    assert [tree.ids[node] for node in frontier.candidates] == ["first"]
    assert frontier.candidates_count.tolist() == [3]
    assert frontier.candidates_waiting.tolist() == [4]
    assert len(frontier) == 1

    sample(builder)
    frontier = replay(walkers, builder.build()).frontier
    assert frontier.scores == ((1, "greedy"), (1, "sampled-0"))
    assert frontier.scores_waiting.tolist() == [2, 1]
    assert frontier.answers.tolist() == [2]
    assert frontier.answers_waiting.tolist() == [1]
    assert not len(frontier.candidates)

    score(builder)
    builder.set_answer("left", True)
    result = replay(walkers, builder.build())
    assert result.outcomes.leaf.tolist() == [-1, 2, 2, -1]
    assert result.outcomes.closed.tolist() == [False, True, True, False]
    assert result.outcomes.correct.tolist() == [False, True, True, False]
    assert result.frontier.candidates.tolist() == [3]
    assert result.frontier.scores == ((1, "sampled-0"),)

    builder.add_node("end", "right", End.CAP)
    builder.set_candidates("right", ["end", "end", "end"])
    builder.set_scores("right", "greedy", np.full((3, 3), np.nan))
    builder.set_answer("end", False)
    result = replay([(VERDICT, "greedy")], builder.build())
    assert len(result.frontier) == 0
    assert result.outcomes.closed.all()
    assert result.outcomes.missing_scores.tolist() == [9]
    assert result.selections.incomplete.tolist() == [0, 0, 3]


def test_a_walker_that_does_not_judge_needs_one_candidate_only(builder: TreeBuilder) -> None:
    frontier = replay([(BASE, "greedy")], builder.build()).frontier
    assert frontier.candidates_count.tolist() == [1]
    builder.add_node("left", "first", End.EOS)
    builder.set_candidates("first", ["left"])
    result = replay([(BASE, "greedy")], builder.build())
    assert result.outcomes.leaf.tolist() == [2]
    assert result.selections.judged.tolist() == [False, False]


def test_stopping_to_judge_follows_candidate_0(builder: TreeBuilder) -> None:
    sample(builder)
    score(builder)
    builder.add_node("end", "right", End.EOS)
    builder.set_candidates("right", ["end"])
    once = replace(VERDICT, stop=Stop(judged_steps=1))
    result = replay([(once, "greedy")], builder.build())
    assert result.selections.chosen.tolist() == [0, 1, 0]
    assert result.selections.judged.tolist() == [False, True, False]
    assert result.outcomes.leaf.tolist() == [4]
    assert result.outcomes.judged_steps.tolist() == [1]


def test_counts_on_the_path(builder: TreeBuilder) -> None:
    sample(builder)
    score(builder)
    outcomes = replay([(VERDICT, "greedy"), (NAMED["max"], "greedy")], builder.build()).outcomes
    assert outcomes.steps.tolist() == [2, 2]
    assert outcomes.judged_steps.tolist() == [1, 1]
    assert outcomes.judged_candidates.tolist() == [3, 3]
    assert outcomes.accepted_candidates.tolist() == [1, 3]  # without a gate, every complete candidate is
    assert outcomes.fallback_steps.tolist() == [0, 0]


def test_a_question_whose_root_is_a_leaf() -> None:
    builder = TreeBuilder(candidates=3, judges=3)
    builder.add_question("q", "root", End.EMPTY)
    result = replay([(VERDICT, "greedy")], builder.build())
    assert result.outcomes.leaf.tolist() == [0]
    assert result.outcomes.steps.tolist() == [0]
    assert result.frontier.answers.tolist() == [0]


def test_no_question() -> None:
    result = replay([(VERDICT, "greedy")], TreeBuilder(candidates=3, judges=3).build())
    assert len(result.frontier) == 0
    assert len(result.outcomes.closed) == 0


def test_no_strategy_is_refused(builder: TreeBuilder) -> None:
    with pytest.raises(ValueError, match="at least one strategy"):
        replay([], builder.build())


def test_bounds() -> None:
    builder = TreeBuilder(candidates=3, judges=3)
    for name, answer in {"right": True, "wrong": False, "open": None, "also open": None}.items():
        builder.add_question(name, name, End.EOS)
        if answer is not None:
            builder.set_answer(name, answer)
    found = bounds(replay([(BASE, "greedy"), (VERDICT, "greedy")], builder.build()).outcomes, 2)
    assert found.questions.tolist() == [4, 4]
    assert found.closed.tolist() == [2, 2]
    assert found.correct.tolist() == [1, 1]
    assert found.lower.tolist() == [0.25, 0.25]
    assert found.upper.tolist() == [0.75, 0.75]


def test_bounds_of_no_question_are_no_number() -> None:
    empty = replay([(BASE, "greedy")], TreeBuilder(candidates=3, judges=3).build()).outcomes
    found = bounds(empty, 1)
    assert np.isnan(found.lower).all()
    assert np.isnan(found.upper).all()
