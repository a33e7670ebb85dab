"""The numbers that named strategies are built from, with the defaults of the VERDICT paper.

Belongs here: reading them from a plain mapping of the shape of `params.yaml`. Does not belong here: the
file itself (config), nor the strategies (`catalogue`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verdict_assets.verification.strategy import Missing

PAPER_STUBBORNNESS: Mapping[str, float] = {"visual": 1.5, "logical": 1.0, "contextual": 0.8}
PAPER_TAU = 0.6
PAPER_EPSILON = 0.1

# The paper gives no threshold for the Variance rule: this one decides most like VERDICT on the grid of
# scores in tenths.
VARIANCE_LIMIT = 0.068
# The dispersion of adjusted scores is about 0.41 of that of raw ones: epsilon / 0.41, the best agreement
# on the same grid.
RAW_AVERAGE_EPSILON_RESCALED = 0.244


@dataclass(frozen=True, slots=True)
class Settings:
    """Judges in the order in which their scores stand, and every threshold of the named strategies."""

    judges: tuple[str, ...] = tuple(PAPER_STUBBORNNESS)
    stubbornness: tuple[float, ...] = tuple(PAPER_STUBBORNNESS.values())
    tau: float = PAPER_TAU
    epsilon: float = PAPER_EPSILON
    variance_limit: float = VARIANCE_LIMIT
    raw_average_epsilon_rescaled: float = RAW_AVERAGE_EPSILON_RESCALED
    missing: Missing = Missing.LAST


def read_settings(parameters: Mapping[str, object], judges: Sequence[str] | None = None) -> Settings:
    """Settings from a mapping of the shape of `params.yaml`.

    What the mapping lacks is as in the paper; what it has besides is ignored. `judges` gives the order in
    which scores stand, by default that of the stubbornness. Raises ValueError for a judge without
    stubbornness, TypeError for a value of the wrong type.
    """
    consensus = _mapping(parameters, "consensus", {})
    stubbornness = _mapping(consensus, "stubbornness", PAPER_STUBBORNNESS)
    order = tuple(stubbornness) if judges is None else tuple(judges)
    without = [judge for judge in order if judge not in stubbornness]
    if without:
        raise ValueError(
            f"no stubbornness is given for {', '.join(without)}; it is given for {', '.join(stubbornness)}"
        )
    missing = parameters.get("missing", Missing.LAST.value)
    if missing not in list(Missing):
        raise ValueError(f"missing must be one of {', '.join(Missing)}, not {missing!r}")
    return Settings(
        judges=order,
        stubbornness=tuple(_number(stubbornness, judge, None) for judge in order),
        tau=_number(consensus, "tau", PAPER_TAU),
        epsilon=_number(consensus, "epsilon", PAPER_EPSILON),
        variance_limit=_number(parameters, "variance_limit", VARIANCE_LIMIT),
        raw_average_epsilon_rescaled=_number(
            parameters, "raw_average_epsilon_rescaled", RAW_AVERAGE_EPSILON_RESCALED
        ),
        missing=Missing(str(missing)),
    )


def _mapping(parent: Mapping[str, object], key: str, default: Mapping[str, object]) -> Mapping[str, object]:
    value = parent.get(key, default)
    if not isinstance(value, Mapping):
        raise TypeError(f"{key} must be a mapping, not {value!r}")
    return value


def _number(parent: Mapping[str, object], key: str, default: float | None) -> float:
    value = parent.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{key} must be a number, not {value!r}")
    return float(value)
