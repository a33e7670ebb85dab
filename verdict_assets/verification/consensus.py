"""The consensus of judges: adjusted scores, their mean, and their dispersion.

Each judge i trades agreement with the others against staying at its own raw score s_i, with weight
lambda_i, its stubbornness (VERDICT, payoff and best response in section 4). The equilibrium solves

    (1 + lambda_i) x_i - 1/(m-1) sum_{j != i} x_j = lambda_i s_i        for all i,

and has the shrinkage form used here, with a_i = (m-1) lambda_i / (m + (m-1) lambda_i):

    mean = sum a_i s_i / sum a_i,    x_i = mean + a_i (s_i - mean),    dispersion = 1/m sum a_i |s_i - mean|

To see it, put x_i into the system and use sum_{j != i} x_j = m mean - x_i. The form needs no solver, so it
cannot fail and costs a few multiplications per judge. The mean is the unweighted mean of the *adjusted*
scores. It is not the mean of the raw scores unless all lambdas are equal: what the game preserves is sum
lambda_i x_i = sum lambda_i s_i.

Belongs here: this equilibrium and the double threshold on it. Does not belong here: other rules, missing
scores, choosing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from verdict_assets.verification.tree import BoolArray, FloatArray

TOLERANCE = 1e-9
"""Two numbers closer than this are equal: float means depend on the order of the judges in their last
digits."""


@dataclass(frozen=True, slots=True)
class Consensus:
    """Adjusted scores [..., m], their mean [...] and mean absolute deviation [...], all in [0, 1]."""

    adjusted: FloatArray
    mean: FloatArray
    dispersion: FloatArray


def consensus(scores: ArrayLike, stubbornness: ArrayLike) -> Consensus:
    """The equilibrium of m >= 2 judges for raw scores [..., m] in [0, 1] and stubbornness [m] > 0.

    A NaN among a candidate's scores makes all its results NaN. Raises ValueError for fewer than two judges,
    lambdas that are not positive and finite, scores outside [0, 1], or shapes that do not match.
    """
    raw = np.asarray(scores, dtype=np.float64)
    evidence = own_evidence(stubbornness)
    judges = len(evidence)
    if raw.ndim == 0 or raw.shape[-1] != judges:
        raise ValueError(f"scores of shape {raw.shape} do not end in one score for each of {judges} judges")
    if bool(((raw < 0) | (raw > 1)).any()):
        raise ValueError("raw scores must lie in [0, 1]")
    weighted = evidence[0] * raw[..., 0]
    for judge in range(1, judges):
        weighted = weighted + evidence[judge] * raw[..., judge]
    centre = weighted / evidence.sum()
    adjusted = centre[..., np.newaxis] + evidence * (raw - centre[..., np.newaxis])
    # Every adjusted score is a convex combination of raw ones; the clip only undoes rounding.
    adjusted = np.clip(adjusted, 0.0, 1.0)
    mean = mean_over_judges(adjusted)
    return Consensus(adjusted, mean, dispersion_about(adjusted, mean))


def own_evidence(stubbornness: ArrayLike) -> FloatArray:
    """The coefficients a [m] in (0, 1]: how much of its distance from the mean each judge keeps."""
    weights = np.asarray(stubbornness, dtype=np.float64)
    if weights.ndim != 1 or len(weights) < 2:
        raise ValueError(
            f"a consensus needs the stubbornness of two or more judges, not shape {weights.shape}"
        )
    if not bool(((weights > 0) & np.isfinite(weights)).all()):
        raise ValueError(f"stubbornness must be positive and finite, not {weights.tolist()}")
    judges = len(weights)
    return (judges - 1) * weights / (judges + (judges - 1) * weights)


def mean_over_judges(scores: FloatArray) -> FloatArray:
    """The unweighted mean [...] over the last axis.

    Added judge by judge, so that neither memory layout nor threads change a bit of it.
    """
    total = scores[..., 0]
    for judge in range(1, scores.shape[-1]):
        total = total + scores[..., judge]
    return np.asarray(total / scores.shape[-1])


def dispersion_about(scores: FloatArray, mean: FloatArray) -> FloatArray:
    """The mean absolute deviation [...] of scores [..., m] about their mean [...], divisor m."""
    return mean_over_judges(np.abs(scores - mean[..., np.newaxis]))


def passes(mean: ArrayLike, dispersion: ArrayLike, tau: float, epsilon: float) -> BoolArray:
    """Whether a candidate is accepted: mean > tau and dispersion < epsilon, both strict (Algorithm 1).

    Near-equality within 1e-9 does not pass: unanimous 0.6 is rejected at tau = 0.6 whatever the rounding.
    """
    return above(mean, tau) & below(dispersion, epsilon)


def above(values: ArrayLike, limit: float) -> BoolArray:
    """Strictly above the limit, by more than the tolerance; NaN is not."""
    return np.asarray(np.asarray(values, dtype=np.float64) - limit > TOLERANCE)


def below(values: ArrayLike, limit: float) -> BoolArray:
    """Strictly below the limit, by more than the tolerance; NaN is not."""
    return np.asarray(limit - np.asarray(values, dtype=np.float64) > TOLERANCE)
