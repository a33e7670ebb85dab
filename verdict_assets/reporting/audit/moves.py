"""Which numbers moved between two states of the report, by how much, and what moved them.

Belongs here: comparing two published ledgers and their records. Does not belong here: where a state comes
from (`revisions`), computing numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verdict_assets.reporting.audit.changes import Change, compare, compare_rows, touched
from verdict_assets.reporting.audit.reported import Row
from verdict_assets.reporting.lineage import Lineage

VALUES = ("value", "numerator", "denominator", "lower", "upper", "deviation")
"""Columns in which a number moves; the others tell what it is."""


@dataclass(frozen=True, slots=True)
class State:
    """The report at one time. `lineage` is None where the record does not say what it was made of."""

    rows: Mapping[str, Row]
    lineage: Lineage | None


@dataclass(frozen=True, slots=True)
class Move:
    """A number that is another one now. before, after: its moved columns; empty where there was, or is, none.

    by: how far the value went; None without two values. causes: positions in the list of changes of those
    that it rests on.
    """

    number: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    by: float | None
    causes: tuple[int, ...]


def changes(before: State, after: State) -> list[Change]:
    """What differs upstream, as far as both records tell."""
    one, other = before.lineage, after.lineage
    if one is None or other is None:
        return []
    return [*compare(one.upstream, other.upstream), *compare_rows(one.partitions, other.partitions)]


def moves(before: State, after: State, known: Sequence[Change]) -> list[Move]:
    """Every number that moved, came or went, by id."""
    found = []
    bases = after.lineage.upstream.bases if after.lineage is not None else {}
    for number in sorted({*before.rows, *after.rows}):
        one, other = before.rows.get(number, {}), after.rows.get(number, {})
        columns = [name for name in VALUES if one.get(name) != other.get(name)]
        if columns:
            row = other or one
            causes = tuple(at for at, change in enumerate(known) if touched(change, row, bases))
            was, is_now = ({name: state[name] for name in columns if name in state} for state in (one, other))
            found.append(Move(number, was, is_now, _by(one.get("value"), other.get("value")), causes))
    return found


def _by(before: str | None, after: str | None) -> float | None:
    return float(after) - float(before) if before and after and before != after else None
