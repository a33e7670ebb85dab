"""The canonical encoding from which every key is computed.

Belongs here: how a mapping of plain values becomes bytes and a hash. Does not belong here: which values make
up a key (`request.py`). A change in this file changes every key; the golden test in tests/unit/inference pins
it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence

Scalar = str | int | float | bool
Value = Scalar | Sequence[str] | None


def canonical(fields: Mapping[str, Value]) -> str:
    """JSON of `fields`: sorted names, no blanks, no absent (None) fields, text as it is.

    Absent fields are left out, so a field that is added later, and is None for all that came before, changes
    no key. Floats are written by repr, the shortest text that reads back as the same number.

    Raises ValueError for a number that is not finite and for text that is not Unicode (a lone surrogate).
    """
    present = {name: value for name, value in fields.items() if value is not None}
    for name, value in present.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is {value}, and only finite numbers have a canonical form")
    return json.dumps(present, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def sha256_text(text: str) -> str:
    """Hex sha256 of the UTF-8 bytes of `text`."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def digest(fields: Mapping[str, Value]) -> str:
    """Hex sha256 of the canonical encoding of `fields`."""
    return sha256_text(canonical(fields))
