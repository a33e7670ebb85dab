"""What a verification strategy is: a frozen value that says how one candidate of a judged node is chosen.

Belongs here: the vocabulary (statistics, tests, the rule for missing scores, when judging stops) and the
`Strategy` value built from it. Does not belong here: the numbers of a particular strategy (`catalogue`),
nor the code that applies one (`decide`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf


class Statistic(StrEnum):
    """What a candidate is tested or ranked by, computed over its judges' scores.

    With `Scores.stubbornness` set, the scores are the adjusted ones of the consensus; without it, the raw
    ones.
    """

    MEAN = "mean"
    DISPERSION = "dispersion"  # mean absolute deviation, divisor m
    MEAN_MINUS_DISPERSION = "mean_minus_dispersion"
    VARIANCE = "variance"  # population variance, divisor m
    MAXIMUM = "maximum"
    MINIMUM = "minimum"
    VOTES = "votes"  # share of judges strictly above 0.5
    INDEX = "index"  # no preference: the lowest index, which by exchangeability is a uniform draw


class Side(StrEnum):
    """The side of a limit on which a test passes; both are strict, near-equality does not pass."""

    ABOVE = "above"
    BELOW = "below"


class Missing(StrEnum):
    """What becomes of a candidate that lacks a judge's score."""

    LAST = "last"  # never accepted, ranked after every complete candidate; none complete: index 0
    PRESENT = "present"  # judged by the scores present when at least two are; otherwise as LAST


@dataclass(frozen=True, slots=True)
class Scores:
    """Which scores a strategy looks at, and whether the judges adjust them to one another first.

    `stubbornness`: one lambda > 0 per judge in use, in judge order; None leaves the scores raw. `judges`:
    positions of the judges in use, ascending; None uses all. `permuted`: a control: the candidates of a
    node exchange their scores by a permutation drawn from the node id.
    """

    stubbornness: tuple[float, ...] | None = None
    judges: tuple[int, ...] | None = None
    permuted: bool = False

    def __post_init__(self) -> None:
        if self.judges is not None and (not self.judges or list(self.judges) != sorted(set(self.judges))):
            raise ValueError(f"judges must be distinct positions in ascending order, not {self.judges}")
        if self.stubbornness is not None and not all(0 < weight < inf for weight in self.stubbornness):
            raise ValueError(f"stubbornness must be positive and finite, not {self.stubbornness}")


@dataclass(frozen=True, slots=True)
class Threshold:
    """One strict comparison that a candidate must pass to be accepted."""

    statistic: Statistic
    side: Side
    limit: float


@dataclass(frozen=True, slots=True)
class Stop:
    """When a strategy stops judging and follows candidate 0: after so many judged steps; None is never."""

    judged_steps: int | None = None

    def __post_init__(self) -> None:
        if self.judged_steps is not None and self.judged_steps < 0:
            raise ValueError(f"judged_steps cannot be negative: {self.judged_steps}")


@dataclass(frozen=True, slots=True)
class Strategy:
    """How a candidate is chosen at a judged node.

    A candidate is accepted if it passes every test of `gate`; the accepted one with the largest `rank` is
    chosen, and if none is accepted, the one with the largest `fallback` over all candidates. Values within
    1e-9 of the largest tie, and the lowest index wins. `name` is a slug and plays no part in the choice.
    """

    name: str
    scores: Scores
    gate: tuple[Threshold, ...]
    rank: Statistic
    fallback: Statistic
    missing: Missing = Missing.LAST
    stop: Stop = Stop()
