"""From a judge's reply to a score: a whole-string number in [0, 1], or missing with a reason.

A score that cannot be read is never a number: not 0, not 0.5, not clipped, and the judge is not asked again,
because a second draw after an unreadable first one would be a sample conditioned on being readable.

Belongs here: reading one reply. Does not belong here: what a missing score means for a candidate
(`verification/`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Missing(StrEnum):
    """Why a reply has no score."""

    TRUNCATED = "truncated"
    """The token limit cut the reply: what is there may be the beginning of another number."""
    UNFINISHED = "unfinished"
    """The engine stopped for another reason than the end of the reply (abort, error, content filter)."""
    EMPTY = "empty"
    NOT_A_NUMBER = "not_a_number"
    OUT_OF_RANGE = "out_of_range"


@dataclass(frozen=True, slots=True)
class ParsedScore:
    """A score in [0, 1], or None and the reason."""

    score: float | None
    reason: Missing | None = None


_COMPLETE = {"stop", "eos", "newline"}
_CUT = {"length"}
_NUMBER = r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)"
_REPLY = re.compile(
    rf"(?P<open>\*\*)?(?:score\s*:\s*)?(?P<value>{_NUMBER})\s?(?P<scale>%|/\s?10)?(?(open)\*\*)",
    re.IGNORECASE | re.ASCII,
)
"""The accepted wrappers, each seen in replies: bold, "Score:", a percent sign, "out of ten". All name the
number itself or its scale; a number inside a sentence, a range, a list or another unit is not accepted."""
_SCALES = {None: Decimal(1), "%": Decimal(100), "10": Decimal(10)}


def parse_score(text: str, finish_reason: str) -> ParsedScore:
    """Read a reply.

    `finish_reason` is a name of `Finish` ("eos", "newline", "length", "error") or of the OpenAI protocol
    ("stop", "length", ...). Only a complete reply can have a score: "0." cut by the limit might have become
    "0.9".
    """
    if finish_reason in _CUT:
        return ParsedScore(None, Missing.TRUNCATED)
    if finish_reason not in _COMPLETE:
        return ParsedScore(None, Missing.UNFINISHED)
    reply = text.strip()
    if not reply:
        return ParsedScore(None, Missing.EMPTY)
    match = _REPLY.fullmatch(reply)
    if match is None:
        return ParsedScore(None, Missing.NOT_A_NUMBER)
    scale = match["scale"]
    value = Decimal(match["value"])  # exact, so that 1.00000000000000000001 is out of range
    limit = _SCALES[scale.lstrip("/ ") if scale else None]
    if value.is_signed() or value > limit:
        return ParsedScore(None, Missing.OUT_OF_RANGE)
    return ParsedScore(float(value / limit))
