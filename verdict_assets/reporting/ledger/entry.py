"""One reported number.

Belongs here: the row and what its id may look like. Does not belong here: collecting rows (`book`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_SEGMENT = re.compile(r"[a-z0-9_]+(?:[.-][a-z0-9_]+)*")


class Kind(StrEnum):
    """What sort of quantity a number is; decides nothing but how it is shown."""

    SHARE = "share"  # in [0, 1], shown in percent
    DIFFERENCE = "difference"  # of two shares, shown in percentage points with a sign
    PROBABILITY = "probability"  # of a test
    COUNT = "count"
    REAL = "real"


@dataclass(frozen=True, slots=True)
class Entry:
    """A number with all that is needed to read it.

    id: `table/row/column` of slugs, never reused for another quantity. value: None where there is no point
    value (an unfinished cell, nothing to measure). numerator and denominator: exact counts where the value
    is a quotient. n: independent units behind it. deviation: standard deviation over the judge seeds of its
    decoding, where there are several. lower, upper: confidence interval. missing, fallback, capped, errors:
    what was counted on the way. draft: it rests on responses that are not frozen yet.
    """

    id: str
    kind: Kind
    value: float | None
    definition: str
    numerator: float | None = None
    denominator: float | None = None
    n: int | None = None
    deviation: float | None = None
    lower: float | None = None
    upper: float | None = None
    missing: int | None = None
    fallback: int | None = None
    capped: int | None = None
    errors: int | None = None
    strategy: str | None = None
    score_set: str | None = None
    study: str | None = None
    benchmark: str | None = None
    draft: bool = False

    def __post_init__(self) -> None:
        parts = self.id.split("/")
        if len(parts) != 3 or not all(_SEGMENT.fullmatch(part) for part in parts):
            raise ValueError(f"id {self.id!r} is not table/row/column of small letters, digits, _ . -")

    @property
    def table(self) -> str:
        """First segment of the id."""
        return self.id.split("/")[0]

    @property
    def column(self) -> str:
        """Last segment of the id."""
        return self.id.split("/")[2]
