"""Statistics against textbook values, brute force and the properties that define them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.analysis.statistics.auc import rank_auc
from verdict_assets.analysis.statistics.bootstrap import paired_mean_interval, seed_of
from verdict_assets.analysis.statistics.correlation import pearson
from verdict_assets.analysis.statistics.intervals import clustered_share, wilson
from verdict_assets.analysis.statistics.normal import one_sided, two_sided
from verdict_assets.analysis.statistics.paired import Pairs, mcnemar_exact, pair
from verdict_assets.analysis.statistics.power import smallest_detectable


def test_quantiles_are_the_usual_ones() -> None:
    assert two_sided(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert one_sided(0.8) == pytest.approx(0.841621, abs=1e-6)
    with pytest.raises(ValueError, match="confidence"):
        two_sided(1.0)


def test_wilson_matches_a_published_value() -> None:
    # Newcombe 1998, Stat. Med. 17:857, table I: 81 of 263 and 15 of 148, 95 %.
    first, second = wilson(81, 263, 0.95), wilson(15, 148, 0.95)
    assert first is not None and second is not None
    assert (round(first.lower, 4), round(first.upper, 4)) == (0.2553, 0.3662)
    assert (round(second.lower, 4), round(second.upper, 4)) == (0.0624, 0.1605)


def test_wilson_at_the_edges() -> None:
    none, every = wilson(0, 20, 0.95), wilson(20, 20, 0.95)
    assert none is not None and every is not None
    assert (none.lower, every.upper) == (0.0, 1.0)
    assert none.upper == pytest.approx(0.1611, abs=1e-4) == 1 - every.lower
    assert wilson(0, 0, 0.95) is None
    with pytest.raises(ValueError, match="successes"):
        wilson(3, 2, 0.95)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 400), st.data())
def test_wilson_ends_solve_the_score_equation(trials: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, trials))
    interval = wilson(hits, trials, 0.9)
    assert interval is not None
    z = two_sided(0.9)
    for end in (interval.lower, interval.upper):
        assert (hits / trials - end) ** 2 == pytest.approx(z * z * end * (1 - end) / trials, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 1), min_size=1, max_size=60))
def test_one_trial_a_question_is_nearly_wilson(hits: list[int]) -> None:
    clustered = clustered_share(hits, [1] * len(hits), 0.95)
    assert clustered == wilson(sum(hits), len(hits), 0.95)


def test_questions_that_agree_with_themselves_count_once() -> None:
    hits, trials = [10, 0] * 20, [10, 10] * 20
    clustered, naive = clustered_share(hits, trials, 0.95), wilson(200, 400, 0.95)
    assert clustered is not None and naive is not None
    assert clustered.upper - clustered.lower > 2.5 * (naive.upper - naive.lower)
    assert clustered_share([0, 0], [0, 0], 0.95) is None
    with pytest.raises(ValueError, match="outside"):
        clustered_share([2], [1], 0.95)


def test_mcnemar_by_hand() -> None:
    assert mcnemar_exact(Pairs(3, 5, 1, 0)) == 14 / 64  # 2 (C(6,0) + C(6,1)) / 2^6
    assert mcnemar_exact(Pairs(3, 6, 0, 0)) == 2 / 64
    assert mcnemar_exact(Pairs(3, 2, 2, 0)) == 1.0
    assert mcnemar_exact(Pairs(9, 0, 0, 4)) == 1.0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 9), st.integers(0, 9))
def test_mcnemar_counts_coin_sequences(wins: int, losses: int) -> None:
    coins = wins + losses
    extreme = (
        sum(
            abs(2 * sum(flips) - coins) >= abs(wins - losses)
            for flips in itertools.product((0, 1), repeat=coins)
        )
        if coins <= 10
        else None
    )
    p = mcnemar_exact(Pairs(0, wins, losses, 0))
    assert p == mcnemar_exact(Pairs(7, losses, wins, 2))
    if extreme is not None:
        assert p == extreme / 2**coins


def test_pair_counts_every_question_once() -> None:
    pairs = pair([True, True, False, False, True], [True, False, True, False, False])
    assert pairs == Pairs(1, 2, 1, 1)
    assert (pairs.questions, pairs.discordant, pairs.net) == (5, 3, 1)
    with pytest.raises(ValueError, match="paired"):
        pair([True], [])


@settings(deadline=None, max_examples=80)
@given(st.integers(10, 3000), st.floats(0.0, 1.0))
def test_detectable_difference_solves_its_equation(questions: int, share: float) -> None:
    found = smallest_detectable(questions, int(share * questions), confidence=0.95, power=0.8)
    assert found is not None
    assert 0 < found.difference <= found.discordance + 1e-12
    right = two_sided(0.95) * math.sqrt(found.discordance) + one_sided(0.8) * math.sqrt(
        max(0.0, found.discordance - found.difference**2)
    )
    assert math.sqrt(questions) * found.difference == pytest.approx(right, rel=1e-9)


def test_detectable_difference_of_connor() -> None:
    # 20 % discordant, 10 points: Connor's formula asks for (1.96 sqrt .2 + .8416 sqrt .19)^2 / .01 = 154.8
    # pairs.
    found = smallest_detectable(155, 31, confidence=0.95, power=0.8)
    assert found is not None and found.difference == pytest.approx(0.1, abs=2e-4)
    assert not found.floored


def test_nothing_discordant_is_not_a_detectable_difference_of_zero() -> None:
    found = smallest_detectable(200, 0, confidence=0.95, power=0.8)
    assert found is not None and found.floored and 0.03 < found.difference < 0.05
    assert smallest_detectable(0, 0, confidence=0.95, power=0.8) is None
    assert smallest_detectable(3, 1, confidence=0.95, power=0.8) is None


def test_power_of_the_detectable_difference_is_about_as_promised() -> None:
    """Exact power of McNemar's test (conditional, so a little conservative) at n = 300, psi = 0.2."""
    found = smallest_detectable(300, 60, confidence=0.95, power=0.8)
    assert found is not None
    win = (1 + found.difference / found.discordance) / 2
    power = 0.0
    for discordant in range(301):
        weight = math.comb(300, discordant) * 0.2**discordant * 0.8 ** (300 - discordant)
        if weight < 1e-9:
            continue
        for wins in range(discordant + 1):
            if mcnemar_exact(Pairs(0, wins, discordant - wins, 0)) < 0.05:
                power += weight * math.comb(discordant, wins) * win**wins * (1 - win) ** (discordant - wins)
    assert 0.74 < power < 0.82


scores_and_truth = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 5)), min_size=2, max_size=40
)


@settings(deadline=None, max_examples=80)
@given(scores_and_truth)
def test_auc_equals_counting_pairs(cases: list[tuple[int, bool, int]]) -> None:
    scores = np.array([score / 4 for score, _, _ in cases])
    truth = np.array([true for _, true, _ in cases])
    auc = rank_auc(scores, truth, [str(cluster) for _, _, cluster in cases], confidence=0.95)
    if truth.all() or not truth.any():
        assert auc is None
        return
    pairs = [(high > low) + 0.5 * (high == low) for high in scores[truth] for low in scores[~truth]]
    assert auc is not None and auc.value == pytest.approx(sum(pairs) / len(pairs), abs=1e-15)
    flipped = rank_auc(-scores, truth, [str(cluster) for _, _, cluster in cases], confidence=0.95)
    assert flipped is not None and flipped.value == pytest.approx(1 - auc.value, abs=1e-15)
    if auc.interval is not None:
        assert 0 < auc.interval.lower <= auc.value <= auc.interval.upper < 1


def test_auc_variance_is_delongs_when_every_case_is_its_own_question() -> None:
    random = np.random.default_rng(7)
    truth = np.arange(60) < 25
    scores = np.round(random.normal(size=60) + truth, 1)
    auc = rank_auc(scores, truth, [f"q{k}" for k in range(60)], confidence=0.95)
    assert auc is not None and auc.interval is not None
    wins = (scores[truth][:, None] > scores[~truth]) + 0.5 * (scores[truth][:, None] == scores[~truth])
    delong = wins.mean(axis=1).var(ddof=1) / 25 + wins.mean(axis=0).var(ddof=1) / 35
    half = math.log(auc.interval.upper / (1 - auc.interval.upper)) - math.log(auc.value / (1 - auc.value))
    assert half == pytest.approx(two_sided(0.95) * math.sqrt(delong) / (auc.value * (1 - auc.value)))


def test_auc_of_repeated_cases_is_not_more_certain() -> None:
    random = np.random.default_rng(3)
    truth = np.arange(40) % 2 == 0
    scores = random.normal(size=40) + truth
    names = [f"q{k}" for k in range(40)]
    once = rank_auc(scores, truth, names, confidence=0.95)
    thrice = rank_auc(np.tile(scores, 3), np.tile(truth, 3), names * 3, confidence=0.95)
    assert once is not None and thrice is not None
    assert once.interval is not None and thrice.interval is not None
    assert thrice.value == pytest.approx(once.value)
    assert thrice.interval.lower == pytest.approx(once.interval.lower, abs=1e-9)


def test_auc_refuses_missing_scores() -> None:
    with pytest.raises(ValueError, match="finite"):
        rank_auc(np.array([0.1, math.nan]), np.array([True, False]), ["a", "b"], confidence=0.95)


def test_bootstrap_is_a_function_of_its_names() -> None:
    net = [1] * 30 + [-1] * 10 + [0] * 60
    one = paired_mean_interval(net, resamples=1000, confidence=0.95, seed=seed_of("main", "a"))
    again = paired_mean_interval(net, resamples=1000, confidence=0.95, seed=seed_of("main", "a"))
    other = paired_mean_interval(net, resamples=1000, confidence=0.95, seed=seed_of("main", "b"))
    assert one == again and one is not None and other is not None
    assert one != other or seed_of("main", "a") != seed_of("main", "b")
    assert one.lower == pytest.approx(0.2 - 1.96 * 0.06, abs=0.03)
    assert one.upper == pytest.approx(0.2 + 1.96 * 0.06, abs=0.03)
    # PCG64's raw words are a promise of numpy; a change here would move published intervals.
    assert (one.lower, one.upper) == (0.09, 0.31)


def test_bootstrap_without_variation_or_tails() -> None:
    sure = paired_mean_interval([0, 0, 0], resamples=100, confidence=0.95, seed=1)
    assert sure is not None and (sure.lower, sure.upper) == (0.0, 0.0)
    assert paired_mean_interval([], resamples=100, confidence=0.95, seed=1) is None
    with pytest.raises(ValueError, match="resamples"):
        paired_mean_interval([1], resamples=10, confidence=0.95, seed=1)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=3, max_size=50))
def test_correlation_is_numpys(pairs: list[tuple[int, int]]) -> None:
    first, second = [x / 8 for x, _ in pairs], [y / 8 for _, y in pairs]
    found = pearson(first, second)
    if min(first) == max(first) or min(second) == max(second):
        assert found is None
    else:
        assert found == pytest.approx(float(np.corrcoef(first, second)[0, 1]), abs=1e-12)
        assert found == pearson(first[::-1], second[::-1])
