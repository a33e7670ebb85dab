"""The statistics of a candidate's judge scores that strategies test and rank by.

Belongs here: one formula per member of `Statistic`, and which candidates have the scores to compute it.
Does not belong here: comparing candidates (`decide`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from verdict_assets.verification.consensus import above, consensus, dispersion_about, mean_over_judges
from verdict_assets.verification.strategy import Missing, Scores, Statistic
from verdict_assets.verification.tree import BoolArray, FloatArray, IntArray

VOTE_LIMIT = 0.5
"""A judge votes for a candidate whose score lies strictly above this (Majority rule)."""

FEWEST_PRESENT = 2
"""Under `Missing.PRESENT`, this many judges still make a consensus; one alone does not."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Statistics of k x n candidates, NaN where a candidate is not usable."""

    usable: BoolArray  # [k, n] the scores suffice under the rule for missing ones
    missing: IntArray  # [k, n] how many of the scores in use are missing
    values: Mapping[Statistic, FloatArray]  # each [k, n]


def profile(scores: FloatArray, spec: Scores, missing: Missing, wanted: Iterable[Statistic]) -> Profile:
    """The wanted statistics of candidates with raw scores [k, n, m], NaN where a score is missing.

    m counts the judges in use, in the order of `spec.stubbornness`. With some scores missing under
    `Missing.PRESENT`, the m' >= 2 judges present are treated as all there are: their stubbornness, their
    mean, their majority.
    """
    known = ~np.isnan(scores)
    count = known.sum(axis=-1, dtype=np.int64)
    judges = scores.shape[-1]
    usable = count == judges
    if missing is Missing.PRESENT:
        usable = usable | (count >= FEWEST_PRESENT)
    values = {statistic: np.full(scores.shape[:-1], np.nan) for statistic in wanted}
    for present, rows in _by_judges_present(known, usable):
        adjusted = _in_use(scores[rows][:, present], spec, present)
        for statistic, column in values.items():
            column[rows] = _FORMULA[statistic](adjusted)
    return Profile(usable, judges - count, values)


def _by_judges_present(known: BoolArray, usable: BoolArray) -> Iterable[tuple[IntArray, BoolArray]]:
    """The usable candidates grouped by which judges' scores they have: (positions of judges, mask [k, n])."""
    complete = usable & known.all(axis=-1)
    if complete.any():
        yield np.arange(known.shape[-1]), complete
    partial = usable & ~complete
    for pattern in np.unique(known[partial], axis=0):
        yield np.flatnonzero(pattern), partial & (known == pattern).all(axis=-1)


def _in_use(raw: FloatArray, spec: Scores, present: IntArray) -> FloatArray:
    if spec.stubbornness is None:
        return raw
    return consensus(raw, np.array(spec.stubbornness)[present]).adjusted


def _dispersion(scores: FloatArray) -> FloatArray:
    return dispersion_about(scores, mean_over_judges(scores))


def _variance(scores: FloatArray) -> FloatArray:
    return mean_over_judges((scores - mean_over_judges(scores)[..., np.newaxis]) ** 2)


def _mean_minus_dispersion(scores: FloatArray) -> FloatArray:
    mean = mean_over_judges(scores)
    return mean - dispersion_about(scores, mean)


def _votes(scores: FloatArray) -> FloatArray:
    return mean_over_judges(above(scores, VOTE_LIMIT).astype(np.float64))


def _index(scores: FloatArray) -> FloatArray:
    """The same value for all: every candidate ties, so the lowest index is taken."""
    return np.zeros(scores.shape[:-1])


_FORMULA: Mapping[Statistic, Callable[[FloatArray], FloatArray]] = {
    Statistic.MEAN: mean_over_judges,
    Statistic.DISPERSION: _dispersion,
    Statistic.MEAN_MINUS_DISPERSION: _mean_minus_dispersion,
    Statistic.VARIANCE: _variance,
    Statistic.MAXIMUM: lambda scores: scores.max(axis=-1),
    Statistic.MINIMUM: lambda scores: scores.min(axis=-1),
    Statistic.VOTES: _votes,
    Statistic.INDEX: _index,
}
