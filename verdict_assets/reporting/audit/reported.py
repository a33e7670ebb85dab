"""The ledger as it was published: `numbers.csv` read back as the texts that stand in it.

Belongs here: reading, finding a number, and comparing two ledgers bit for bit. Does not belong here: why they
differ (`changes`).
"""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.errors import UserError
from verdict_assets.reporting.report import NUMBERS

Row = Mapping[str, str]
"""One number as texts: equal texts are equal doubles, since the shortest text of a double is unique."""
_NEAR = 4


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell of the ledger that is not what was expected; "" where a number has none."""

    number: str
    column: str
    reported: str
    found: str


def load(folder: Path) -> dict[str, Row]:
    """The published ledger of a report's folder, by id.

    Raises:
        UserError: there is none.
    """
    path = folder / NUMBERS
    if not path.is_file():
        raise UserError(
            "no numbers were reported yet", where=path, remedy="run the job `recompute`, or restore the file"
        )
    return parse(path.read_text("utf-8"))


def parse(text: str) -> dict[str, Row]:
    """The rows of a ledger by id."""
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text))}


def named(rows: Mapping[str, Row], number: str) -> Row:
    """The number with that id.

    Raises:
        UserError: there is none; the nearest ids are named.
    """
    if number in rows:
        return rows[number]
    near = difflib.get_close_matches(number, rows, n=_NEAR, cutoff=0.4)
    raise UserError(
        f"no number has the id {number!r}",
        where=NUMBERS,
        remedy=f"use an id of that file, such as {', '.join(near) if near else next(iter(rows), '(none)')}",
    )


def differences(
    reported: Mapping[str, Row], found: Mapping[str, Row], numbers: Iterable[str]
) -> list[Difference]:
    """Every cell of the numbers in which two ledgers differ; one that a ledger lacks differs in its id."""
    differing = []
    for number in numbers:
        one, other = reported.get(number), found.get(number)
        if one is None or other is None:
            differing.append(Difference(number, "id", number if one else "", number if other else ""))
            continue
        columns = dict.fromkeys([*one, *other])
        differing += [
            Difference(number, column, one.get(column, ""), other.get(column, ""))
            for column in columns
            if one.get(column, "") != other.get(column, "")
        ]
    return differing
