"""Intervals for a share: one answer a question, or many candidates that share a question.

Belongs here: intervals of a single proportion. Does not belong here: differences of two strategies (`paired`,
`bootstrap`) and the bounds of an unfinished cell, which are arithmetic and not sampling (`bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from verdict_assets.analysis.statistics.normal import two_sided


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval; `lower <= upper`."""

    lower: float
    upper: float


def wilson(successes: int, trials: int, confidence: float) -> Interval | None:
    """Score interval of a proportion (Wilson 1927, J. Am. Stat. Assoc. 22:209).

    The set of p that a two-sided score test at this confidence does not reject. Lies inside [0, 1], is never
    empty at 0 or `trials` successes, and touches 0 (or 1) exactly there. None when there were no trials.
    Assumes independent trials; use `clustered_share` when several trials share a question.

    Raises ValueError unless 0 <= successes <= trials.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must lie in 0..trials, got {successes} of {trials}")
    if trials == 0:
        return None
    z = two_sided(confidence)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = share * (1 - share) / trials + z * z / (4 * trials * trials)
    half = z * math.sqrt(spread) / (1 + z * z / trials)
    lower = 0.0 if successes == 0 else max(0.0, centre - half)
    upper = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(lower, upper)


def clustered_share(successes: Sequence[int], trials: Sequence[int], confidence: float) -> Interval | None:
    """Interval of sum(successes) / sum(trials) when trials of one question are not independent.

    `successes[q]` and `trials[q]` are the counts of question q. The ratio's variance is the
    between-question one (Cochran 1977, Sampling Techniques, eq. 6.9; without finite population correction),

        v = Q / (Q - 1) * sum_q (successes_q - share * trials_q)^2 / (sum_q trials_q)^2,

    turned into the number of independent trials that would have this variance, share (1 - share) / v, on
    which the Wilson interval is taken (Korn and Graubard 1998, Survey Methodology 24:193, use the same
    effective size). The effective size is held between the number of questions and the number of trials,
    because a variance estimated from few questions can come out as nothing. None without trials.

    Raises ValueError on lengths that differ or counts outside 0..trials.
    """
    if len(successes) != len(trials):
        raise ValueError(f"{len(successes)} counts of successes for {len(trials)} counts of trials")
    if any(not 0 <= hit <= of for hit, of in zip(successes, trials, strict=True)):
        raise ValueError("a count of successes lies outside 0..trials of its question")
    total = sum(trials)
    if total == 0:
        return None
    hits = sum(successes)
    questions = sum(1 for of in trials if of > 0)
    effective = float(min(questions, total))
    if 0 < hits < total and questions > 1:
        share = hits / total
        squares = math.fsum((hit - share * of) ** 2 for hit, of in zip(successes, trials, strict=True))
        variance = questions / (questions - 1) * squares / total**2
        if variance > 0:
            effective = min(float(total), max(float(questions), share * (1 - share) / variance))
    return _wilson_effective(hits, total, effective, confidence)


def _wilson_effective(hits: int, total: int, effective: float, confidence: float) -> Interval:
    """Wilson at share hits / total with a sample size that need not be whole."""
    z = two_sided(confidence)
    share = hits / total
    denominator = 1 + z * z / effective
    centre = (share + z * z / (2 * effective)) / denominator
    half = z * math.sqrt(share * (1 - share) / effective + z * z / (4 * effective**2)) / denominator
    lower = 0.0 if hits == 0 else max(0.0, centre - half)
    upper = 1.0 if hits == total else min(1.0, centre + half)
    return Interval(lower, upper)
