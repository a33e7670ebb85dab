"""Rank AUC with half credit for ties, and its interval when cases come in questions.

Belongs here: how well one number separates two classes. Does not belong here: which number and which truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verdict_assets.analysis.statistics.intervals import Interval
from verdict_assets.analysis.statistics.normal import two_sided


@dataclass(frozen=True, slots=True)
class Auc:
    """`value` = half_wins / (2 positives negatives).

    `half_wins` counts, over all pairs of one positive and one negative, 2 where the positive has the larger
    score and 1 where they tie. `interval` is None where it cannot be estimated (see `rank_auc`).
    """

    value: float
    half_wins: int
    positives: int
    negatives: int
    interval: Interval | None


def rank_auc(
    scores: npt.NDArray[np.float64],
    truth: npt.NDArray[np.bool_],
    clusters: Sequence[str],
    *,
    confidence: float,
) -> Auc | None:
    """Probability that a true case scores above a false one, a tie counting one half (Mann-Whitney).

    scores[k], truth[k] and clusters[k] (its question) describe case k. 1 is perfect, 0.5 is blind, below
    0.5 is worse than blind. The point value is a quotient of integers. The interval treats questions, not
    cases, as independent (Obuchowski 1997, Biometrics 53:567; with one case a question it is that of DeLong
    et al. 1988, Biometrics 44:837) and is taken on the logit, so that it stays inside (0, 1). It is None
    for a value of 0 or 1 and when a class occurs in fewer than two questions.

    None when one of the classes is empty. Raises ValueError on lengths that differ or scores that are not
    finite.
    """
    if not len(scores) == len(truth) == len(clusters):
        raise ValueError(
            f"lengths differ: {len(scores)} scores, {len(truth)} truths, {len(clusters)} clusters"
        )
    if not np.isfinite(scores).all():
        raise ValueError("AUC needs finite scores; leave out cases with a missing score before")
    high, low = np.sort(scores[truth]), np.sort(scores[~truth])
    if len(high) == 0 or len(low) == 0:
        return None
    won = _half_wins(scores, truth, high, low)
    half_wins = int(won[truth].sum())
    value = half_wins / (2 * len(high) * len(low))
    variance = _clustered_variance(won, truth, clusters, value)
    return Auc(value, half_wins, len(high), len(low), _logit_interval(value, variance, confidence))


def _half_wins(
    scores: npt.NDArray[np.float64],
    truth: npt.NDArray[np.bool_],
    high: npt.NDArray[np.float64],
    low: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """For each case, twice the pairs that rank it right: #smaller + #not larger among the other class."""
    against_low = np.searchsorted(low, scores, "left") + np.searchsorted(low, scores, "right")
    against_high = 2 * len(high) - (
        np.searchsorted(high, scores, "left") + np.searchsorted(high, scores, "right")
    )
    return np.where(truth, against_low, against_high).astype(np.int64)


def _clustered_variance(
    won: npt.NDArray[np.int64],
    truth: npt.NDArray[np.bool_],
    clusters: Sequence[str],
    value: float,
) -> float | None:
    """Obuchowski's variance: sums of structural components a question, and their covariance."""
    positives = int(truth.sum())
    negatives = len(truth) - positives
    above: dict[str, list[float]] = {}
    below: dict[str, list[float]] = {}
    for case, cluster in enumerate(clusters):
        group, others = (above, negatives) if truth[case] else (below, positives)
        group.setdefault(cluster, []).append(int(won[case]) / (2 * others) - value)
    if len(above) < 2 or len(below) < 2:
        return None
    sums_above = {cluster: math.fsum(parts) for cluster, parts in above.items()}
    sums_below = {cluster: math.fsum(parts) for cluster, parts in below.items()}
    every = len(above.keys() | below.keys())
    s_10 = len(above) / ((len(above) - 1) * positives) * math.fsum(x * x for x in sums_above.values())
    s_01 = len(below) / ((len(below) - 1) * negatives) * math.fsum(x * x for x in sums_below.values())
    shared = sums_above.keys() & sums_below.keys()
    s_11 = every / (every - 1) * math.fsum(sums_above[c] * sums_below[c] for c in shared)
    variance = s_10 / positives + s_01 / negatives + 2 * s_11 / (positives * negatives)
    return max(0.0, variance)


def _logit_interval(value: float, variance: float | None, confidence: float) -> Interval | None:
    if variance is None or not 0.0 < value < 1.0:
        return None
    half = two_sided(confidence) * math.sqrt(variance) / (value * (1 - value))
    centre = math.log(value / (1 - value))
    return Interval(_expit(centre - half), _expit(centre + half))


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
