"""Two strategies on the same questions: who won where, and whether that could be chance.

Belongs here: counts of a paired comparison and the exact test on them. Does not belong here: the size that
could have been seen (`power`) and resampling (`bootstrap`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Pairs:
    """A two by two table of paired answers; all four are counts of questions."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def questions(self) -> int:
        """Questions that both strategies finished."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def discordant(self) -> int:
        """Questions on which exactly one of the two is right: the only ones that speak."""
        return self.first_only + self.second_only

    @property
    def net(self) -> int:
        """Questions won minus lost by the first; net / questions is the difference of accuracies."""
        return self.first_only - self.second_only


def pair(first: Sequence[bool], second: Sequence[bool]) -> Pairs:
    """Count right and wrong answers of two strategies, question by question.

    Raises ValueError when the two do not cover the same number of questions.
    """
    if len(first) != len(second):
        raise ValueError(f"paired answers needed, got {len(first)} and {len(second)} questions")
    both = first_only = second_only = neither = 0
    for one, two in zip(first, second, strict=True):
        if one and two:
            both += 1
        elif one:
            first_only += 1
        elif two:
            second_only += 1
        else:
            neither += 1
    return Pairs(both, first_only, second_only, neither)


def mcnemar_exact(pairs: Pairs) -> float:
    """Exact two-sided p of "the discordant questions fall either way with probability 1/2".

    With k = min(first_only, second_only) of d discordant questions, p = min(1, 2 P(X <= k)), X ~
    Binomial(d, 1/2) (McNemar 1947, Psychometrika 12:153, in the exact form of Cochran 1950). Summed in
    integers, so the only rounding is that of the final quotient. 1 when nothing is discordant. The smallest
    p that d discordant questions can give is 2^(1 - d): fewer than six can never pass 0.05.
    """
    discordant = pairs.discordant
    fewer = min(pairs.first_only, pairs.second_only)
    tail = sum(math.comb(discordant, wins) for wins in range(fewer + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**discordant)))
