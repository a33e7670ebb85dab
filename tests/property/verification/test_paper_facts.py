"""What the mathematics says at the paper's defaults, including where the paper's prose says otherwise."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verdict_assets.verification.catalogue import named_strategies
from verdict_assets.verification.consensus import consensus, own_evidence
from verdict_assets.verification.decide import decide
from verdict_assets.verification.settings import PAPER_STUBBORNNESS

DEFAULT = np.array(list(PAPER_STUBBORNNESS.values()))
SCORE = st.floats(0, 1)
TRIPLE = st.tuples(SCORE, SCORE, SCORE)
GRID = np.array(list(product(range(11), repeat=3))) / 10
STRATEGIES = named_strategies({})
MEAN_SHIFT = np.array([0.06736353078, -0.01277584204, -0.05458768873])
LARGEST_DISPERSION = 0.199767712


def dispersion(scores: object) -> np.ndarray:
    return consensus(scores, DEFAULT).dispersion  # type: ignore[arg-type]


def accepted(name: str) -> np.ndarray:
    """Which vectors of the grid a strategy accepts, each as the only candidate of its node."""
    return decide(STRATEGIES[name], GRID[:, np.newaxis, :], ()).accepted[:, 0]


# The mean of adjusted scores is not the raw mean.


@given(TRIPLE)
@settings(deadline=None, max_examples=100)
def test_mean_shift(scores: tuple[float, float, float]) -> None:
    shift = consensus(scores, DEFAULT).mean - np.mean(scores)
    assert shift == pytest.approx(float(MEAN_SHIFT @ scores), abs=1e-10)
    assert abs(shift) <= MEAN_SHIFT[0] + 1e-10


def test_largest_mean_shift_is_reached_when_the_visual_judge_stands_alone() -> None:
    assert consensus((1, 0, 0), DEFAULT).mean - 1 / 3 == pytest.approx(MEAN_SHIFT[0], abs=1e-10)
    assert consensus((0, 1, 1), DEFAULT).mean - 2 / 3 == pytest.approx(-MEAN_SHIFT[0], abs=1e-10)


def test_mean_shift_is_rarely_negligible() -> None:
    on_grid = np.abs(consensus(GRID, DEFAULT).mean - GRID.mean(axis=1)) < 0.01
    assert on_grid.mean() == pytest.approx(0.2682193839, abs=1e-9)
    uniform = np.random.default_rng(0).random((200_000, 3))
    share = (np.abs(consensus(uniform, DEFAULT).mean - uniform.mean(axis=1)) < 0.01).mean()
    assert share == pytest.approx(0.289, abs=0.005)


@pytest.mark.parametrize(
    ("judge", "low_among_high", "high_among_low"),
    [(0, 0.6595818815, 0.5404181185), (1, 0.7076655052, 0.4923344948), (2, 0.7327526132, 0.4672473868)],
)
def test_mean_with_a_lone_dissenter(judge: int, low_among_high: float, high_among_low: float) -> None:
    low, high = np.full(3, 0.9), np.full(3, 0.3)
    low[judge], high[judge] = 0.3, 0.9
    assert consensus(low, DEFAULT).mean == pytest.approx(low_among_high, abs=1e-9)
    assert consensus(high, DEFAULT).mean == pytest.approx(high_among_low, abs=1e-9)


# Dispersion has a small range.


@given(TRIPLE)
@settings(deadline=None, max_examples=200)
def test_dispersion_never_exceeds_a_fifth(scores: tuple[float, float, float]) -> None:
    assert dispersion(scores) <= LARGEST_DISPERSION + 1e-9


def test_largest_dispersion_is_at_two_corners() -> None:
    """It is convex, so its maximum over the cube lies at a corner."""
    corners = np.array(list(product((0.0, 1.0), repeat=3)))
    values = dispersion(corners)
    assert values.max() == pytest.approx(LARGEST_DISPERSION, abs=1e-9)
    at = {tuple(corner) for corner in corners[values > values.max() - 1e-9].tolist()}
    assert at == {(1, 0, 0), (0, 1, 1)}


def test_largest_dispersion_above_tau() -> None:
    """Over the part of the cube with mean >= 0.6 it lies at a corner of that polytope."""
    corners = [np.array(corner, dtype=float) for corner in product((0, 1), repeat=3)]
    points = [corner for corner in corners if consensus(corner, DEFAULT).mean >= 0.6]
    for one, other in product(corners, corners):
        if np.abs(one - other).sum() == 1:
            start, end = consensus(one, DEFAULT).mean, consensus(other, DEFAULT).mean
            part = (0.6 - start) / (end - start)
            if 0 <= part <= 1:
                points.append(one + part * (other - one))
    assert dispersion(points).max() == pytest.approx(0.1994202899, abs=1e-9)


@given(TRIPLE)
@settings(deadline=None, max_examples=200)
def test_dispersion_is_between_bounds_of_the_raw_one(scores: tuple[float, float, float]) -> None:
    raw = float(np.abs(np.array(scores) - np.mean(scores)).mean())
    assume(raw > 1e-6)
    assert 0.3636363 <= dispersion(scores) / raw <= 0.4599304


@pytest.mark.parametrize(
    ("judge", "unit", "gap"),
    [(0, 0.199767712, 0.5005813953), (1, 0.181184669, 0.5519230769), (2, 0.1672473868, 0.5979166667)],
)
def test_lone_dissenter(judge: int, unit: float, gap: float) -> None:
    """Delta = g (2/m) a_i (1 - a_i / sum a), whether the dissenter is low among high or high among low."""
    a = own_evidence(DEFAULT)
    assert 2 / 3 * a[judge] * (1 - a[judge] / a.sum()) == pytest.approx(unit, abs=1e-9)
    for size in (0.2, 0.6, 1.0):
        scores = np.zeros(3)
        scores[judge] = size
        assert dispersion(scores) == pytest.approx(size * unit, abs=1e-9)
        assert dispersion(1 - scores) == pytest.approx(size * unit, abs=1e-9)
    scores = np.zeros(3)
    scores[judge] = gap
    assert dispersion(scores) == pytest.approx(0.1, abs=1e-9)


@given(st.integers(3, 8), st.data())
@settings(deadline=None, max_examples=100)
def test_the_stubborner_dissenter_disperses_more(judges: int, data: st.DataObject) -> None:
    weights = np.array(data.draw(st.lists(st.floats(0.05, 20), min_size=judges, max_size=judges)))
    lone = consensus(np.eye(judges), weights).dispersion
    order = np.argsort(weights)
    steps = np.diff(weights[order])
    assert (np.diff(lone[order])[steps > 1e-6] > 0).all()


# What the decisions see.


@given(TRIPLE, st.integers(0, 2), st.floats(1e-6, 1))
@settings(deadline=None, max_examples=200)
def test_fallback_score_increases_in_every_raw_score(
    scores: tuple[float, float, float], judge: int, rise: float
) -> None:
    before = np.array(scores)
    after = before.copy()
    after[judge] = min(1.0, before[judge] + rise)
    assume(after[judge] - before[judge] >= 1e-6)
    low, high = consensus(before, DEFAULT), consensus(after, DEFAULT)
    slope = ((high.mean - high.dispersion) - (low.mean - low.dispersion)) / (after[judge] - before[judge])
    assert slope >= (0.2009291521, 0.1393728223, 0.1114982578)[judge] - 1e-7


def test_acceptance_is_not_monotone() -> None:
    """One judge thinks better of a candidate, and it is no longer accepted."""
    before, after = consensus((0.4, 0.8, 1.0), DEFAULT), consensus((0.4, 0.9, 1.0), DEFAULT)
    assert after.mean > before.mean > 0.6
    assert before.dispersion < 0.1 < after.dispersion


def test_decisions_on_the_grid_of_tenths() -> None:
    assert len(GRID) == 1331
    verdict, raw_average = accepted("verdict"), accepted("raw_average")
    assert verdict.sum() == 285
    assert raw_average.sum() == 67
    assert not (raw_average & ~verdict).any()


def test_measures_of_raw_spread_agree_with_the_dispersion_at_best_so_often() -> None:
    """The Variance rule has no test of the mean, so the one on the raw mean is added here."""
    verdict = accepted("verdict")
    by_variance = accepted("variance") & (GRID.mean(axis=1) > 0.6 + 1e-9)
    assert (accepted("raw_average_rescaled") == verdict).mean() == pytest.approx(0.9684447784, abs=1e-9)
    assert (by_variance == verdict).mean() == pytest.approx(0.9684447784, abs=1e-9)


def test_vectors_that_change_side_of_tau() -> None:
    raw = GRID.mean(axis=1) > 0.6 + 1e-9
    adjusted = consensus(GRID, DEFAULT).mean > 0.6 + 1e-9
    assert (raw != adjusted).sum() == 71


def test_pairs_that_the_adjusted_mean_orders_otherwise() -> None:
    raw, adjusted = GRID.mean(axis=1), consensus(GRID, DEFAULT).mean
    ordered = raw[:, np.newaxis] - raw > 1e-9
    reversed_order = adjusted - adjusted[:, np.newaxis] > 1e-9
    assert (ordered & reversed_order).sum() / ordered.sum() == pytest.approx(0.02963186596, abs=1e-9)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_grid_decisions_do_not_depend_on_the_order_of_judges(order: tuple[int, ...]) -> None:
    names = np.array(list(PAPER_STUBBORNNESS))[list(order)]
    strategy = named_strategies({}, names.tolist())["verdict"]
    shuffled = decide(strategy, GRID[:, np.newaxis, list(order)], ()).accepted[:, 0]
    assert (shuffled == accepted("verdict")).all()


# The linear system that nobody needs to solve.


def test_matrix_at_the_defaults() -> None:
    matrix = np.diag(1 + DEFAULT) - (np.ones((3, 3)) - np.eye(3)) / 2
    assert np.linalg.det(matrix) == pytest.approx(7.175, abs=1e-9)
    assert np.linalg.eigvalsh(matrix)[0] == pytest.approx(1.048, abs=5e-4)
    assert np.linalg.cond(matrix) == pytest.approx(2.719089371, abs=1e-8)


def test_matrix_with_one_judge_that_hardly_holds_on() -> None:
    matrix = np.diag(1 + np.array([1e-3, 1.0, 0.8])) - (np.ones((3, 3)) - np.eye(3)) / 2
    assert np.linalg.cond(matrix) == pytest.approx(5.20607445, abs=1e-7)


def test_response_matrix() -> None:
    """Rows of the map from raw to adjusted scores."""
    expected = [
        [0.7003484321, 0.1602787456, 0.1393728223],
        [0.2404181185, 0.5923344948, 0.1672473868],
        [0.2613240418, 0.2090592334, 0.5296167247],
    ]
    np.testing.assert_allclose(consensus(np.eye(3), DEFAULT).adjusted.T, expected, rtol=0, atol=1e-9)
