"""The collection of reported numbers, and its file.

Belongs here: `Ledger.write`, the one function through which a number reaches a report, and the CSV. Does
not belong here: which numbers there are (`tables`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import fields

from verdict_assets.reporting.ledger.entry import Entry

COLUMNS = tuple(field.name for field in fields(Entry))


class Ledger:
    """All numbers of one report, by id."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries: dict[str, Entry] = {}
        for entry in entries:
            self.write(entry)

    def write(self, entry: Entry) -> Entry:
        """Add a number. Raises ValueError for an id that is taken: an id means one quantity for ever."""
        if entry.id in self._entries:
            raise ValueError(f"the ledger already has a number {entry.id!r}")
        self._entries[entry.id] = entry
        return entry

    def __getitem__(self, number: str) -> Entry:
        """The number with that id. Raises KeyError that names it."""
        return self._entries[number]

    def get(self, number: str) -> Entry | None:
        """The number with that id, or None."""
        return self._entries.get(number)

    def __contains__(self, number: str) -> bool:
        return number in self._entries

    def __iter__(self) -> Iterator[Entry]:
        """Numbers in the order of their ids."""
        return iter(self._entries[number] for number in sorted(self._entries))

    def __len__(self) -> int:
        return len(self._entries)


def numbers_csv(ledger: Ledger) -> str:
    """The ledger as CSV, sorted by id: the same numbers are the same bytes, so a diff shows which ones moved.

    Floats are the shortest decimals that read back as the same double; whole numbers have no point; None is
    empty.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in ledger:
        writer.writerow([_cell(getattr(entry, name)) for name in COLUMNS])
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return str(value)
