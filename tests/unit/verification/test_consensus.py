"""The kernel's edges: shapes, errors, thresholds."""

import numpy as np
import pytest

from verdict_assets.verification.consensus import TOLERANCE, consensus, own_evidence, passes

PAPER = (1.5, 1.0, 0.8)


def test_any_leading_axes() -> None:
    raw = np.random.default_rng(0).random((2, 3, 4, 3))
    result = consensus(raw, PAPER)
    assert result.adjusted.shape == (2, 3, 4, 3)
    assert result.mean.shape == result.dispersion.shape == (2, 3, 4)
    one = consensus(raw[1, 2, 3], PAPER)
    np.testing.assert_array_equal(result.adjusted[1, 2, 3], one.adjusted)
    assert result.mean[1, 2, 3] == one.mean
    assert result.dispersion[1, 2, 3] == one.dispersion


def test_no_candidates() -> None:
    assert consensus(np.empty((0, 3)), PAPER).mean.shape == (0,)


def test_memory_layout_changes_no_bit() -> None:
    raw = np.random.default_rng(1).random((50, 9))
    weights = np.linspace(0.3, 2.0, 9)
    by_row, by_column = consensus(raw, weights), consensus(np.asfortranarray(raw), weights)
    assert by_row.mean.tobytes() == by_column.mean.tobytes()
    assert by_row.dispersion.tobytes() == by_column.dispersion.tobytes()


def test_own_evidence_at_the_defaults() -> None:
    np.testing.assert_allclose(own_evidence(PAPER), [0.5, 0.4, 8 / 23], rtol=0, atol=1e-15)
    shares = own_evidence(PAPER) / own_evidence(PAPER).sum()
    np.testing.assert_allclose(shares, [0.4006968641, 0.3205574913, 0.2787456446], rtol=0, atol=1e-10)


def test_a_missing_score_spoils_its_candidate_only() -> None:
    result = consensus([[0.9, np.nan, 0.9], [0.7, 0.7, 0.7]], PAPER)
    assert np.isnan(result.adjusted[0]).all()
    assert np.isnan(result.mean[0])
    assert np.isnan(result.dispersion[0])
    assert result.mean[1] == pytest.approx(0.7, abs=1e-15)


@pytest.mark.parametrize(
    ("scores", "stubbornness", "message"),
    [
        ([0.5], [1.0], "two or more judges"),
        ([0.5, 0.5], [[1.0, 1.0]], "two or more judges"),
        ([0.5, 0.5, 0.5], [1.0, 1.0], "one score for each of 2 judges"),
        (0.5, [1.0, 1.0], "one score for each of 2 judges"),
        ([0.5, 0.5], [1.0, 0.0], "positive and finite"),
        ([0.5, 0.5], [1.0, -1.0], "positive and finite"),
        ([0.5, 0.5], [1.0, np.inf], "positive and finite"),
        ([0.5, 0.5], [1.0, np.nan], "positive and finite"),
        ([0.5, 1.1], [1.0, 1.0], "must lie in"),
        ([-0.1, 0.5], [1.0, 1.0], "must lie in"),
    ],
)
def test_refusals(scores: object, stubbornness: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        consensus(scores, stubbornness)  # type: ignore[arg-type]


def test_thresholds_are_strict_and_near_equality_does_not_pass() -> None:
    tau, epsilon = 0.6, 0.1
    near = TOLERANCE / 2
    far = TOLERANCE * 2
    assert not passes(tau, 0.0, tau, epsilon)
    assert not passes(tau + near, 0.0, tau, epsilon)
    assert passes(tau + far, 0.0, tau, epsilon)
    assert not passes(1.0, epsilon, tau, epsilon)
    assert not passes(1.0, epsilon - near, tau, epsilon)
    assert passes(1.0, epsilon - far, tau, epsilon)
    assert not passes(np.nan, 0.0, tau, epsilon)
    assert not passes(1.0, np.nan, tau, epsilon)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_unanimous_scores_at_tau_are_rejected_in_every_order_of_judges(order: tuple[int, ...]) -> None:
    result = consensus([0.6, 0.6, 0.6], np.array(PAPER)[list(order)])
    assert not passes(result.mean, result.dispersion, 0.6, 0.1)
