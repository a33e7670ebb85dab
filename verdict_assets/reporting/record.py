"""One row of a table frame, read with types: nulls of every dtype are None.

Belongs here: the way from pandas to plain values. Does not belong here: any table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd


class Record:
    """One row of a frame, with nulls of every dtype as None."""

    def __init__(self, names: list[str], values: tuple[object, ...]) -> None:
        self._values = dict(zip(names, values, strict=True))

    def text(self, name: str) -> str:
        """A column that is never null."""
        return str(self._values[name])

    def real(self, name: str) -> float | None:
        """A number, or None where the column is null."""
        value = self._values[name]
        if not isinstance(value, int | float | np.integer | np.floating) or math.isnan(value):
            return None
        return float(value)

    def count(self, name: str) -> int:
        """A count; null counts as nothing."""
        return int(self.real(name) or 0)


def records(frame: pd.DataFrame) -> Iterator[Record]:
    """The rows of a frame, in its order."""
    names = [str(name) for name in frame.columns]
    for values in frame.itertuples(index=False, name=None):
        yield Record(names, values)
