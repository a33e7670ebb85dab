"""Quantiles of the standard normal distribution, named by what they are used for.

Belongs here: turning a confidence or a power into a quantile. Does not belong here: any interval or test.
"""

from __future__ import annotations

from statistics import NormalDist


def two_sided(confidence: float) -> float:
    """The z with P(|Z| < z) = confidence, e.g. 1.959964 at 0.95.

    Raises ValueError unless 0 < confidence < 1.
    """
    _check_share(confidence, "confidence")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def one_sided(share: float) -> float:
    """The z with P(Z < z) = share, e.g. 0.841621 at 0.8.

    Raises ValueError unless 0 < share < 1.
    """
    _check_share(share, "share")
    return NormalDist().inv_cdf(share)


def _check_share(value: float, name: str) -> None:
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value!r}")
