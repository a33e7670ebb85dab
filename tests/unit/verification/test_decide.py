"""Choices worked out by hand, rule by rule."""

from dataclasses import replace

import numpy as np
import pytest

from verdict_assets.verification.catalogue import named_strategies
from verdict_assets.verification.decide import Decision, decide
from verdict_assets.verification.strategy import Scores, Side, Statistic, Strategy, Threshold

NAMED = named_strategies({})
NAN = np.nan


def at(strategy: str | Strategy, *candidates: tuple[float, ...]) -> Decision:
    """The decision at one node."""
    chosen_by = NAMED[strategy] if isinstance(strategy, str) else strategy
    return decide(chosen_by, np.array([candidates]), ["node"])


@pytest.mark.parametrize(
    ("strategy", "chosen"),
    [
        ("verdict", 1),  # 0 disperses too much, 2 is too low
        ("mean", 0),
        ("max", 0),
        ("min", 1),
        ("majority", 0),
        ("variance", 1),
        ("no_rejection", 1),
        ("no_selection", 1),
        ("raw_average", 1),
        ("raw_average_rescaled", 1),
        ("weighted_mean", 0),
        ("visual_only", 0),
        ("logical_only", 1),
        ("contextual_only", 0),
    ],
)
def test_rules_on_one_node(strategy: str, chosen: int) -> None:
    decision = at(strategy, (1.0, 0.3, 1.0), (0.7, 0.65, 0.7), (0.5, 0.6, 0.5))
    assert decision.chosen.tolist() == [chosen]
    assert not decision.tie[0]
    assert not decision.fallback[0]


def test_acceptance_beats_a_larger_value_that_failed() -> None:
    decision = at("verdict", (1.0, 0.0, 1.0), (0.7, 0.6, 0.7))
    assert decision.accepted.tolist() == [[False, True]]
    assert decision.chosen.tolist() == [1]


def test_the_largest_mean_among_the_accepted_is_chosen_whatever_its_dispersion() -> None:
    decision = at("verdict", (0.7, 0.7, 0.7), (0.9, 0.6, 0.9))
    assert decision.accepted.all()
    assert decision.chosen.tolist() == [1]


def test_fallback_takes_mean_minus_dispersion() -> None:
    decision = at("verdict", (0.9, 0.2, 0.9), (0.6, 0.6, 0.6))
    assert decision.fallback[0]
    assert decision.values[Statistic.MEAN][0, 0] > decision.values[Statistic.MEAN][0, 1]
    assert decision.chosen.tolist() == [1]


@pytest.mark.parametrize("rule", ["variance", "majority"])
def test_rules_without_a_fallback_of_their_own_take_the_raw_mean(rule: str) -> None:
    decision = at(rule, (0.0, 0.0, 1.0), (1.0, 0.5, 0.3), (0.0, 1.0, 0.4))
    assert decision.fallback[0]
    assert decision.chosen.tolist() == [1]


def test_majority_needs_more_than_half_of_the_judges_strictly_above_half() -> None:
    assert at("majority", (0.5, 0.5, 1.0), (0.6, 0.6, 0.0)).accepted.tolist() == [[False, True]]
    two = replace(NAMED["majority"], scores=Scores(judges=(0, 1)))
    assert at(two, (0.6, 0.5, 0.0), (0.6, 0.6, 0.0)).accepted.tolist() == [[False, True]]


def test_equal_maxima_go_to_the_lowest_index_and_are_reported() -> None:
    decision = at("verdict", (0.7, 0.7, 0.7), (0.8, 0.8, 0.8), (0.8, 0.8, 0.8))
    assert decision.chosen.tolist() == [1]
    assert decision.tie.tolist() == [True]


def test_values_within_the_tolerance_are_equal() -> None:
    just_below = 0.8 - 5e-10
    clearly_below = 0.8 - 5e-9
    assert at("mean", (just_below,) * 3, (0.8,) * 3).chosen.tolist() == [0]
    assert at("mean", (clearly_below,) * 3, (0.8,) * 3).chosen.tolist() == [1]


def test_a_draw_is_not_a_tie() -> None:
    decision = at("no_selection", (0.8, 0.8, 0.8), (0.7, 0.7, 0.7))
    assert decision.chosen.tolist() == [0]
    assert not decision.tie[0]


def test_a_tie_among_rejected_candidates_does_not_count_where_one_is_accepted() -> None:
    decision = at("verdict", (0.1, 0.1, 0.1), (0.1, 0.1, 0.1), (0.7, 0.7, 0.7))
    assert decision.chosen.tolist() == [2]
    assert not decision.tie[0]


def test_a_candidate_without_every_score_comes_last() -> None:
    decision = at("verdict", (0.9, NAN, 0.9), (0.1, 0.1, 0.1))
    assert decision.usable.tolist() == [[False, True]]
    assert decision.missing.tolist() == [[1, 0]]
    assert decision.chosen.tolist() == [1]
    assert decision.fallback[0]


def test_no_complete_candidate_leaves_index_0() -> None:
    decision = at("mean", (0.1, NAN, 0.1), (NAN, NAN, NAN), (0.9, 0.9, NAN))
    assert decision.chosen.tolist() == [0]
    assert decision.fallback[0]
    assert not decision.tie[0]
    assert decision.missing.tolist() == [[1, 3, 1]]


def test_a_strategy_misses_only_the_scores_it_uses() -> None:
    decision = at("visual_only", (0.1, NAN, 0.1), (0.9, NAN, NAN))
    assert decision.usable.all()
    assert decision.missing.tolist() == [[0, 0]]
    assert decision.chosen.tolist() == [1]


def test_present_judges_decide_if_at_least_two_are_there() -> None:
    decision = at("verdict_present", (0.7, 0.7, 0.7), (0.9, NAN, 0.9), (1.0, NAN, NAN))
    assert decision.usable.tolist() == [[True, True, False]]
    assert decision.accepted.tolist() == [[True, True, False]]
    assert decision.chosen.tolist() == [1]


def test_present_makes_no_difference_to_a_single_judge() -> None:
    alone = replace(NAMED["visual_only"], missing=NAMED["verdict_present"].missing)
    assert at(alone, (NAN, 0.9, 0.9), (0.1, 0.1, 0.1)).chosen.tolist() == [1]


def test_no_nodes() -> None:
    for strategy in NAMED.values():
        assert decide(strategy, np.empty((0, 3, 3)), []).chosen.shape == (0,)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (Scores(judges=(3,)), "uses judge 3, but the scores have 3 judges"),
        (Scores((1.0, 1.0)), "2 stubbornness values for 3 judges"),
        (Scores((1.0, 1.0, 1.0), judges=(0, 1)), "3 stubbornness values for 2 judges"),
    ],
)
def test_strategies_that_do_not_fit_the_judges_are_refused(scores: Scores, message: str) -> None:
    strategy = replace(NAMED["mean"], scores=scores)
    with pytest.raises(ValueError, match=message):
        at(strategy, (0.5, 0.5, 0.5))


def test_sides_are_strict() -> None:
    below = Strategy(
        "x", Scores(), (Threshold(Statistic.MAXIMUM, Side.BELOW, 0.5),), Statistic.MEAN, Statistic.MEAN
    )
    assert at(below, (0.5, 0.1, 0.1), (0.4, 0.1, 0.1)).accepted.tolist() == [[False, True]]
