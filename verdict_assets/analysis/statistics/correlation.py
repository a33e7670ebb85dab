"""Linear correlation of two columns of scores.

Belongs here: the coefficient. Does not belong here: which judges are compared over which candidates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Product-moment correlation in [-1, 1], by two passes of exact sums.

    None with fewer than two pairs or when one of the two never varies (the coefficient is then undefined,
    not 0). Raises ValueError on lengths that differ.
    """
    if len(first) != len(second):
        raise ValueError(f"pairs needed, got {len(first)} and {len(second)} values")
    if len(first) < 2 or min(first) == max(first) or min(second) == max(second):
        return None
    mean_first = math.fsum(first) / len(first)
    mean_second = math.fsum(second) / len(second)
    joint = math.fsum((x - mean_first) * (y - mean_second) for x, y in zip(first, second, strict=True))
    spread_first = math.fsum((x - mean_first) ** 2 for x in first)
    spread_second = math.fsum((y - mean_second) ** 2 for y in second)
    return max(-1.0, min(1.0, joint / math.sqrt(spread_first * spread_second)))
