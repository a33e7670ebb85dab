"""The shrinkage form is the equilibrium: against a linear solve, exact arithmetic, and its invariants."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.verification.consensus import consensus, own_evidence

SCORE = st.floats(0, 1)
WEIGHT = st.floats(0.05, 20)


@st.composite
def games(draw: st.DrawFn, weight: st.SearchStrategy[float] = WEIGHT) -> tuple[np.ndarray, np.ndarray]:
    """Raw scores [k, m] and stubbornness [m]."""
    judges = draw(st.integers(2, 8))
    rows = draw(st.integers(1, 4))
    raw = draw(st.lists(st.lists(SCORE, min_size=judges, max_size=judges), min_size=rows, max_size=rows))
    return np.array(raw), np.array(draw(st.lists(weight, min_size=judges, max_size=judges)))


def system(weights: np.ndarray) -> np.ndarray:
    """The matrix of the first-order conditions: 1 + lambda_i on the diagonal, -1/(m-1) off it."""
    judges = len(weights)
    matrix = np.full((judges, judges), -1 / (judges - 1))
    np.fill_diagonal(matrix, 1 + weights)
    return matrix


@given(games())
@settings(deadline=None, max_examples=200)
def test_equals_the_linear_solve(game: tuple[np.ndarray, np.ndarray]) -> None:
    raw, weights = game
    solved = np.linalg.solve(system(weights), (weights * raw).T).T
    result = consensus(raw, weights)
    np.testing.assert_allclose(result.adjusted, solved, rtol=0, atol=1e-12)
    mean = solved.mean(axis=1)
    np.testing.assert_allclose(result.mean, mean, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        result.dispersion, np.abs(solved - mean[:, np.newaxis]).mean(axis=1), rtol=0, atol=1e-12
    )


@given(games(st.floats(1e-6, 1e6)))
@settings(deadline=None, max_examples=60)
def test_solves_the_system_exactly_for_extreme_stubbornness(game: tuple[np.ndarray, np.ndarray]) -> None:
    """A float solve loses digits here, so the oracle is elimination in rational numbers."""
    raw, weights = game
    exact = rational_solution([Fraction(w) for w in weights], [Fraction(s) for s in raw[0]])
    np.testing.assert_allclose(
        consensus(raw[0], weights).adjusted, np.array(exact, dtype=float), rtol=0, atol=1e-12
    )


def rational_solution(weights: list[Fraction], raw: list[Fraction]) -> list[Fraction]:
    """Gauss-Jordan on (1 + lambda_i) x_i - sum_{j != i} x_j / (m - 1) = lambda_i s_i."""
    judges = len(weights)
    rows = [
        [1 + weights[i] if i == j else Fraction(-1, judges - 1) for j in range(judges)]
        + [weights[i] * raw[i]]
        for i in range(judges)
    ]
    for pivot in range(judges):
        rows[pivot] = [value / rows[pivot][pivot] for value in rows[pivot]]
        for other in range(judges):
            if other != pivot:
                factor = rows[other][pivot]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[pivot], strict=True)]
    return [row[-1] for row in rows]


@given(games())
@settings(deadline=None, max_examples=100)
def test_is_a_fixed_point_of_best_responses(game: tuple[np.ndarray, np.ndarray]) -> None:
    raw, weights = game
    adjusted = consensus(raw, weights).adjusted
    judges = len(weights)
    others = (adjusted.sum(axis=1, keepdims=True) - adjusted) / (judges - 1)
    best = (others + weights * raw) / (1 + weights)
    np.testing.assert_allclose(adjusted, best, rtol=0, atol=1e-12)


@given(games())
@settings(deadline=None, max_examples=100)
def test_scalar_closed_form_of_the_paper(game: tuple[np.ndarray, np.ndarray]) -> None:
    raw, weights = game
    judges = len(weights)
    w = 1 / (judges + (judges - 1) * weights)
    total = (judges - 1) * (weights * w * raw).sum(axis=1) / (1 - w.sum())
    paper = w * total[:, np.newaxis] + (judges - 1) * weights * w * raw
    np.testing.assert_allclose(consensus(raw, weights).adjusted, paper, rtol=0, atol=1e-12)


@given(games())
@settings(deadline=None, max_examples=100)
def test_preserves_the_stubbornness_weighted_sum(game: tuple[np.ndarray, np.ndarray]) -> None:
    raw, weights = game
    adjusted = consensus(raw, weights).adjusted
    scale = weights.sum()
    np.testing.assert_allclose(
        (weights * adjusted).sum(axis=1) / scale, (weights * raw).sum(axis=1) / scale, atol=1e-12
    )


@given(games())
@settings(deadline=None, max_examples=100)
def test_adjusted_scores_stay_within_the_raw_ones(game: tuple[np.ndarray, np.ndarray]) -> None:
    """They are convex combinations, which is why clipping changes nothing but rounding."""
    raw, weights = game
    result = consensus(raw, weights)
    low, high = raw.min(axis=1, keepdims=True), raw.max(axis=1, keepdims=True)
    assert ((result.adjusted >= low - 1e-12) & (result.adjusted <= high + 1e-12)).all()
    assert ((result.adjusted >= 0) & (result.adjusted <= 1)).all()


@given(games())
@settings(deadline=None, max_examples=100)
def test_mean_shift_is_bounded_by_the_move_of_the_judges(game: tuple[np.ndarray, np.ndarray]) -> None:
    """|mean - raw mean| <= (max - min)/min * mean|x_i - s_i|, and with (max + min) below as well."""
    raw, weights = game
    result = consensus(raw, weights)
    shift = np.abs(result.mean - raw.mean(axis=1))
    move = np.abs(result.adjusted - raw).mean(axis=1)
    spread = weights.max() - weights.min()
    assert (shift <= spread / weights.min() * move + 1e-12).all()
    assert (shift <= spread / (weights.max() + weights.min()) * move + 1e-12).all()


@given(st.integers(2, 8), st.floats(0.05, 20), st.data())
@settings(deadline=None, max_examples=100)
def test_equal_stubbornness_scales_the_raw_dispersion(
    judges: int, weight: float, data: st.DataObject
) -> None:
    raw = np.array(data.draw(st.lists(SCORE, min_size=judges, max_size=judges)))
    weights = np.full(judges, weight)
    result = consensus(raw, weights)
    raw_dispersion = np.abs(raw - raw.mean()).mean()
    np.testing.assert_allclose(result.mean, raw.mean(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        result.dispersion, own_evidence(weights)[0] * raw_dispersion, rtol=0, atol=1e-12
    )


def test_equal_stubbornness_one_and_three_judges_scale_by_two_fifths() -> None:
    np.testing.assert_allclose(own_evidence([1.0, 1.0, 1.0]), 0.4, rtol=0, atol=1e-15)


@given(games(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=100)
def test_order_of_judges_does_not_matter(game: tuple[np.ndarray, np.ndarray], random: object) -> None:
    raw, weights = game
    order = np.arange(len(weights))
    random.shuffle(order)  # type: ignore[attr-defined]
    result, shuffled = consensus(raw, weights), consensus(raw[:, order], weights[order])
    np.testing.assert_allclose(shuffled.adjusted, result.adjusted[:, order], rtol=0, atol=1e-12)
    np.testing.assert_allclose(shuffled.mean, result.mean, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shuffled.dispersion, result.dispersion, rtol=0, atol=1e-12)


@given(games(), st.floats(0, 0.5), st.floats(0, 1))
@settings(deadline=None, max_examples=100)
def test_dispersion_is_symmetric_and_homogeneous(
    game: tuple[np.ndarray, np.ndarray], centre: float, scale: float
) -> None:
    """Delta(c + d) = Delta(c - d), Delta(c + t d) = t Delta(c + d), and no common shift matters."""
    raw, weights = game
    deviation = (raw - 0.5) / 2  # within [-1/4, 1/4], so that all shifted vectors stay in [0, 1]
    centre = 0.25 + centre
    up = consensus(centre + deviation, weights).dispersion
    down = consensus(centre - deviation, weights).dispersion
    small = consensus(centre + scale * deviation, weights).dispersion
    np.testing.assert_allclose(down, up, rtol=0, atol=1e-12)
    np.testing.assert_allclose(small, scale * up, rtol=0, atol=1e-12)


@given(st.integers(2, 8), SCORE, st.data())
@settings(deadline=None, max_examples=100)
def test_unanimity_is_kept_and_has_no_dispersion(judges: int, score: float, data: st.DataObject) -> None:
    weights = data.draw(st.lists(WEIGHT, min_size=judges, max_size=judges))
    result = consensus(np.full(judges, score), weights)
    np.testing.assert_allclose(result.adjusted, score, rtol=0, atol=1e-12)
    assert result.dispersion <= 1e-12


@given(games())
@settings(deadline=None, max_examples=100)
def test_disagreement_has_dispersion(game: tuple[np.ndarray, np.ndarray]) -> None:
    """Zero only when all raw scores are equal."""
    raw, weights = game
    apart = np.ptp(raw, axis=1) > 1e-6
    assert (consensus(raw, weights).dispersion[apart] > 0).all()


@given(st.floats(0, 1), st.floats(0, 1), WEIGHT, WEIGHT)
@settings(deadline=None, max_examples=100)
def test_two_judges_disperse_by_their_distance_alone(
    one: float, other: float, first: float, second: float
) -> None:
    """At m = 2 the dispersion depends on |s_1 - s_2| only, and not on who is the stubborn one."""
    a = own_evidence([first, second])
    expected = a[0] * a[1] / a.sum() * abs(one - other)
    for scores in ((one, other), (other, one)):
        np.testing.assert_allclose(
            consensus(scores, (first, second)).dispersion, expected, rtol=0, atol=1e-12
        )


@given(games())
@settings(deadline=None, max_examples=100)
def test_equilibrium_is_unique(game: tuple[np.ndarray, np.ndarray]) -> None:
    """The symmetric matrix is positive definite: its smallest eigenvalue is at least the smallest lambda."""
    _, weights = game
    assert np.linalg.eigvalsh(system(weights))[0] >= weights.min() - 1e-12
