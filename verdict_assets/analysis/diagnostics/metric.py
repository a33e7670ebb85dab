"""One measured quantity of a recorded world, and the shares that most of them are.

Belongs here: the record and how a share becomes one. Does not belong here: what is measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
