"""The smallest difference that a paired comparison of this size would usually have found.

Belongs here: what could have been seen. Does not belong here: what was seen (`paired`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from verdict_assets.analysis.statistics.normal import one_sided, two_sided

_BISECTIONS = 200  # halves [0, 1] far below the spacing of doubles; a fixed count keeps the bits the same


@dataclass(frozen=True, slots=True)
class Detectable:
    """`difference` and `discordance` are shares of the questions.

    `floored`: the observed discordance was too small for any difference inside it to be found; the
    difference is then the one at which all discordant questions fall to one side.
    """

    difference: float
    discordance: float
    floored: bool


def smallest_detectable(
    questions: int, discordant: int, *, confidence: float, power: float
) -> Detectable | None:
    """Smallest true difference of two paired accuracies that McNemar's test finds with this power.

    With n questions, a share psi of them discordant, and a true difference delta, the sample size formula
    (Miettinen 1968, Biometrics 24:339; Connor 1987, Biometrics 43:207)

        sqrt(n) delta = z_a sqrt(psi) + z_b sqrt(psi - delta^2),   z_a two-sided at `confidence`, z_b at
        `power`,

    is solved for delta. Squaring gives a quadratic whose larger root is

        delta = sqrt(psi) * (z_a sqrt(n) + z_b sqrt(n + z_b^2 - z_a^2)) / (n + z_b^2).

    psi is the observed share discordant / n, so this is a plug-in value: an order of magnitude, not a
    promise, and it must not be read as evidence that a smaller difference is absent. A difference cannot
    exceed the share of questions on which the two differ; where the root would, psi = delta is put into the
    formula instead (every discordant question on one side), which is the least that n questions can show at
    all: `floored`.

    None without questions, or when n is so small that even a difference of 1 would not be found.
    Raises ValueError unless 0 <= discordant <= questions and power >= 0.5.
    """
    if not 0 <= discordant <= questions:
        raise ValueError(f"discordant must lie in 0..questions, got {discordant} of {questions}")
    if power < 0.5:
        raise ValueError(f"power below one half makes the formula meaningless, got {power!r}")
    if questions == 0:
        return None
    z_a, z_b = two_sided(confidence), one_sided(power)
    least = _one_sided_floor(questions, z_a, z_b)
    if least is None:
        return None
    share = discordant / questions
    if share < least:
        return Detectable(least, least, floored=True)
    return Detectable(_root(questions, share, z_a, z_b), share, floored=False)


def _root(questions: int, share: float, z_a: float, z_b: float) -> float:
    """Larger root of (n + z_b^2) d^2 - 2 z_a sqrt(n psi) d + psi (z_a^2 - z_b^2) = 0.

    It lies at or below psi exactly where psi is at least the floor. Real, because a floor exists: n >= z_a^2.
    """
    inner = questions + z_b * z_b - z_a * z_a
    return math.sqrt(share) * (z_a * math.sqrt(questions) + z_b * math.sqrt(inner)) / (questions + z_b * z_b)


def _one_sided_floor(questions: int, z_a: float, z_b: float) -> float | None:
    """The delta with sqrt(n delta) = z_a + z_b sqrt(1 - delta), by bisection; left grows, right falls."""
    if math.sqrt(questions) < z_a:
        return None
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if math.sqrt(questions * middle) < z_a + z_b * math.sqrt(1 - middle):
            low = middle
        else:
            high = middle
    return high
