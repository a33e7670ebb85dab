"""One measured quantity of a recorded world, and the shares and AUCs that most of them are.

Belongs here: the record and how a statistic becomes one. Does not belong here: what is measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verdict_assets.analysis.statistics.auc import rank_auc
from verdict_assets.analysis.statistics.intervals import Interval, clustered_share


@dataclass(frozen=True, slots=True)
class Metric:
    """`value` is None where nothing was there to measure; `numerator / denominator` where it is a ratio."""

    name: str
    value: float | None
    numerator: float | None = None
    denominator: float | None = None
    interval: Interval | None = None


def share(name: str, hits: Iterable[bool], questions: Iterable[str], confidence: float) -> Metric:
    """The share of cases that hit, with an interval that takes questions, not cases, as independent."""
    counts: dict[str, list[int]] = {}
    for hit, question in zip(hits, questions, strict=True):
        entry = counts.setdefault(question, [0, 0])
        entry[0] += bool(hit)
        entry[1] += 1
    good = [hit for hit, _ in counts.values()]
    every = [of for _, of in counts.values()]
    return ratio(name, sum(good), sum(every), clustered_share(good, every, confidence))


def ratio(name: str, numerator: int, denominator: int, interval: Interval | None = None) -> Metric:
    """A quotient of two counts; its value is None where there was nothing to count."""
    value = numerator / denominator if denominator else None
    return Metric(name, value, numerator, denominator, interval)


def auc(
    name: str,
    scores: npt.NDArray[np.float64],
    truth: npt.NDArray[np.bool_],
    questions: Sequence[str],
    confidence: float,
) -> Metric:
    """Rank AUC of `scores` against `truth`: pairs ranked right, of all pairs; None where a class is empty."""
    found = rank_auc(scores, truth, questions, confidence=confidence)
    if found is None:
        return Metric(name, None)
    return Metric(name, found.value, found.half_wins / 2, found.positives * found.negatives, found.interval)
