"""Identities between strategies that hold for any scores."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.verification.catalogue import double_test, named_strategies
from verdict_assets.verification.consensus import own_evidence
from verdict_assets.verification.decide import Decision, decide
from verdict_assets.verification.decide import permutations as node_permutations
from verdict_assets.verification.strategy import Missing, Scores, Statistic, Strategy
from verdict_assets.verification.sweeps import sweep_points

NAMED = named_strategies({})
SWEEPS = sweep_points({})
VERDICT = NAMED["verdict"]
MISSING = np.nan


@st.composite
def scored_nodes(draw: st.DrawFn, missing: bool = True) -> np.ndarray:
    """Scores [k, n, 3] of a few nodes: on the grid of twentieths, with many ties, some missing."""
    candidates = draw(st.integers(1, 5))
    nodes = draw(st.integers(1, 5))
    score = st.integers(0, 20).map(lambda step: step / 20)
    cell = st.one_of(score, score, score, st.just(MISSING)) if missing else score
    size = nodes * candidates * 3
    return np.array(draw(st.lists(cell, min_size=size, max_size=size))).reshape(nodes, candidates, 3)


def choose(strategy: Strategy, scores: np.ndarray) -> Decision:
    return decide(strategy, scores, [f"node {k}" for k in range(len(scores))])


def gated(tau: float, epsilon: float) -> Strategy:
    return replace(VERDICT, gate=double_test(tau, epsilon))


@given(scored_nodes(), st.floats(1, 100))
@settings(deadline=None, max_examples=100)
def test_tau_of_one_or_more_is_no_rejection(scores: np.ndarray, tau: float) -> None:
    strict = choose(gated(tau, 0.1), scores)
    assert strict.fallback.all()
    np.testing.assert_array_equal(strict.chosen, choose(NAMED["no_rejection"], scores).chosen)


def test_sweep_points_at_tau_of_one_or_more_differ_from_each_other_in_name_only() -> None:
    scores = np.random.default_rng(0).integers(0, 21, (200, 3, 3)) / 20
    expected = choose(NAMED["no_rejection"], scores).chosen
    for slug in ("tau_1", "tau_10"):
        np.testing.assert_array_equal(choose(SWEEPS["tau"][slug], scores).chosen, expected)


@given(scored_nodes(), st.floats(0.2, 100), st.floats(0, 1))
@settings(deadline=None, max_examples=100)
def test_epsilon_of_a_fifth_or_more_ignores_dispersion_save_in_the_fallback(
    scores: np.ndarray, epsilon: float, tau: float
) -> None:
    wide = choose(gated(tau, epsilon), scores)
    mean_alone = choose(replace(VERDICT, gate=double_test(tau, epsilon)[:1]), scores)
    np.testing.assert_array_equal(wide.accepted, mean_alone.accepted)
    np.testing.assert_array_equal(wide.chosen, mean_alone.chosen)


@given(scored_nodes(), st.floats(0, 1), st.floats(0, 1), st.sampled_from([0.05, 0.1, 0.5]))
@settings(deadline=None, max_examples=100)
def test_a_lower_tau_alters_choices_only_where_the_higher_one_accepts_nothing(
    scores: np.ndarray, one: float, other: float, epsilon: float
) -> None:
    high, low = (
        choose(gated(max(one, other), epsilon), scores),
        choose(gated(min(one, other), epsilon), scores),
    )
    assert not (high.accepted & ~low.accepted).any()
    settled = ~high.fallback
    np.testing.assert_array_equal(low.chosen[settled], high.chosen[settled])


@given(scored_nodes(missing=False), st.floats(0.05, 20), st.floats(0, 1), st.floats(0, 0.5))
@settings(deadline=None, max_examples=100)
def test_equal_stubbornness_is_raw_average_at_a_scaled_epsilon(
    scores: np.ndarray, weight: float, tau: float, epsilon: float
) -> None:
    """Same acceptances and, where one is accepted, same choice; the fallback weighs dispersion more."""
    ratio = own_evidence([weight] * 3)[0]
    equal = choose(replace(gated(tau, epsilon * ratio), scores=Scores((weight,) * 3)), scores)
    raw = choose(replace(gated(tau, epsilon), scores=Scores()), scores)
    borderline = (np.abs(raw.values[Statistic.DISPERSION] - epsilon) < 1e-6).any(axis=1)
    borderline |= (np.abs(raw.values[Statistic.MEAN] - tau) < 1e-6).any(axis=1)
    np.testing.assert_array_equal(equal.accepted[~borderline], raw.accepted[~borderline])
    settled = ~borderline & ~raw.fallback
    np.testing.assert_array_equal(equal.chosen[settled], raw.chosen[settled])


@given(scored_nodes())
@settings(deadline=None, max_examples=100)
def test_no_selection_accepts_and_falls_back_as_verdict(scores: np.ndarray) -> None:
    """It takes the lowest accepted index instead of the best accepted candidate."""
    whole, unselected = choose(VERDICT, scores), choose(NAMED["no_selection"], scores)
    np.testing.assert_array_equal(whole.accepted, unselected.accepted)
    np.testing.assert_array_equal(whole.fallback, unselected.fallback)
    np.testing.assert_array_equal(whole.chosen[whole.fallback], unselected.chosen[whole.fallback])
    settled = ~whole.fallback
    np.testing.assert_array_equal(unselected.chosen[settled], whole.accepted[settled].argmax(axis=1))


@given(scored_nodes())
@settings(deadline=None, max_examples=100)
def test_random_fallback_is_verdict_where_something_is_accepted_and_else_the_lowest_usable(
    scores: np.ndarray,
) -> None:
    whole, random = choose(VERDICT, scores), choose(NAMED["random_fallback"], scores)
    np.testing.assert_array_equal(random.fallback, whole.fallback)
    expected = np.where(whole.fallback, whole.usable.argmax(axis=1), whole.chosen)
    np.testing.assert_array_equal(random.chosen, expected)


@given(scored_nodes())
@settings(deadline=None, max_examples=100)
def test_weighted_mean_is_verdict_without_tests(scores: np.ndarray) -> None:
    np.testing.assert_array_equal(
        choose(NAMED["weighted_mean"], scores).chosen,
        choose(replace(gated(-1, 1), fallback=Statistic.MEAN), scores).chosen,
    )


@given(scored_nodes())
@settings(deadline=None, max_examples=100)
def test_order_of_judges_changes_no_choice(scores: np.ndarray) -> None:
    names = ["visual", "logical", "contextual"]
    for order in permutations(range(3)):
        shuffled = named_strategies({}, [names[judge] for judge in order])
        for name in ("verdict", "mean", "max", "min", "majority", "variance", "raw_average", "visual_only"):
            one, other = choose(NAMED[name], scores), choose(shuffled[name], scores[:, :, list(order)])
            np.testing.assert_array_equal(one.chosen, other.chosen)
            np.testing.assert_array_equal(one.accepted, other.accepted)
            np.testing.assert_array_equal(one.tie, other.tie)


@given(scored_nodes())
@settings(deadline=None, max_examples=100)
def test_an_incomplete_candidate_is_never_accepted_and_chosen_only_where_none_is_complete(
    scores: np.ndarray,
) -> None:
    complete = ~np.isnan(scores).any(axis=2)
    rows = np.arange(len(scores))
    for name, strategy in NAMED.items():
        if (
            strategy.scores.judges is not None
            or strategy.scores.permuted
            or strategy.missing is not Missing.LAST
        ):
            continue
        decision = choose(strategy, scores)
        assert not (decision.accepted & ~complete).any(), name
        some = complete.any(axis=1)
        assert complete[rows, decision.chosen][some].all(), name
        assert (decision.chosen[~some] == 0).all(), name
        assert decision.fallback[~some].all(), name


@given(scored_nodes(missing=False))
@settings(deadline=None, max_examples=50)
def test_the_rule_for_missing_scores_is_idle_where_none_is_missing(scores: np.ndarray) -> None:
    one, other = choose(VERDICT, scores), choose(NAMED["verdict_present"], scores)
    np.testing.assert_array_equal(one.chosen, other.chosen)
    np.testing.assert_array_equal(one.accepted, other.accepted)


@given(scored_nodes(missing=False), st.integers(0, 2))
@settings(deadline=None, max_examples=50)
def test_with_one_judge_silent_the_present_two_decide(scores: np.ndarray, silent: int) -> None:
    without = scores.copy()
    without[:, :, silent] = MISSING
    present = [judge for judge in range(3) if judge != silent]
    weights = VERDICT.scores.stubbornness
    assert weights is not None
    pair = replace(VERDICT, scores=Scores(tuple(weights[judge] for judge in present), judges=tuple(present)))
    one, other = choose(NAMED["verdict_present"], without), choose(pair, scores)
    np.testing.assert_array_equal(one.chosen, other.chosen)
    np.testing.assert_array_equal(one.accepted, other.accepted)


# Exchangeable candidates: random draws are the lowest index, and permuted scores are no scores.


@given(scored_nodes(missing=False))
@settings(deadline=None, max_examples=50)
def test_lowest_accepted_index_is_a_uniform_draw_over_orders_of_the_candidates(scores: np.ndarray) -> None:
    node = scores[:1, :4]
    accepted = choose(VERDICT, node).accepted[0]
    if not accepted.any():
        return
    counts = np.zeros(node.shape[1], dtype=int)
    for order in permutations(range(node.shape[1])):
        counts[order[choose(NAMED["no_selection"], node[:, list(order)]).chosen[0]]] += 1
    assert set(counts[accepted]) == {counts.sum() // accepted.sum()}
    assert not counts[~accepted].any()


@pytest.mark.parametrize("candidates", [2, 3, 4])
def test_permuted_scores_choose_uniformly_over_orders_of_the_candidates(candidates: int) -> None:
    """Whatever the node's permutation is: over all orders in which the same candidates may be drawn."""
    rng = np.random.default_rng(candidates)
    for _ in range(20):
        node = rng.integers(0, 5, (1, candidates, 3)) / 4
        counts = np.zeros(candidates, dtype=int)
        for order in permutations(range(candidates)):
            # Candidate order[j] stands at position j. Over node ids all permutations are equally likely,
            # so here each is taken once.
            for permutation in permutations(range(candidates)):
                seen = node[:, list(order)][:, list(permutation)]
                counts[order[decide(VERDICT, seen, ()).chosen[0]]] += 1
        assert set(counts) == {counts.sum() // candidates}


def test_permutations_of_nodes_are_uniform_and_fixed_by_the_id() -> None:
    ids = [f"node {k}" for k in range(6000)]
    drawn = node_permutations(ids, 3)
    np.testing.assert_array_equal(drawn, node_permutations(ids, 3))
    np.testing.assert_array_equal(drawn[7], node_permutations(["node 7"], 3)[0])
    kinds, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(kinds) == 6
    # A chi-square of 20.5 with 5 degrees of freedom has a probability of one in a thousand; ids are fixed.
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5


def test_permuted_scores_are_those_of_other_candidates() -> None:
    scores = np.tile(np.array([0.2, 0.4, 0.95])[:, np.newaxis], (600, 1, 3)).reshape(600, 3, 3)
    chosen = choose(NAMED["permuted"], scores).chosen
    assert (choose(VERDICT, scores).chosen == 2).all()
    assert np.bincount(chosen, minlength=3).min() > 150
