"""The main comparison as plain text, for a terminal.

Belongs here: one table. Does not belong here: the page (`pages`) and the ledger it is linked to.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from verdict_assets.reporting import labels, show
from verdict_assets.reporting.ledger.entry import Kind
from verdict_assets.reporting.record import Record, records

_DOT = "\N{MIDDLE DOT}"
_HEAD = ("strategy", "accuracy %", "interval", "to Base", "p", "accepted %", "fallback %", "missing")


def main_table(frame: pd.DataFrame) -> str:
    """One block per study and benchmark of `main_comparison`; ends with a newline.

    Unfinished cells show their bounds in place of accuracy and interval; rules without a test accept
    everything and show no rates. Strategies stand in the order of the report; a score set is named where a
    block has more than one.
    """
    rows = list(records(frame))
    blocks = []
    for study, benchmark in sorted({(row.text("study"), row.text("benchmark")) for row in rows}):
        mine = [row for row in rows if (row.text("study"), row.text("benchmark")) == (study, benchmark)]
        mine.sort(key=lambda row: (labels.position(row.text("strategy")), row.text("score_set")))
        several = len({row.text("score_set") for row in mine}) > 1
        questions = show.number(max(row.count("questions") for row in mine), Kind.COUNT)
        title = f" {_DOT} ".join([study, benchmark, f"{questions} questions"])
        blocks.append(f"{title}\n{_table([_line(row, several) for row in mine])}")
    return "\n\n".join(blocks) + "\n"


def _line(row: Record, several: bool) -> list[str]:
    label = labels.strategy(row.text("strategy"))
    finished = row.count("closed") == row.count("questions")
    rated = finished and label.tests
    span = _span(row, "lower", "upper") if finished else f"in {_span(row, 'bound_lower', 'bound_upper')}"
    return [
        f"{label.name} [{row.text('score_set')}]" if several else label.name,
        _cell(row, "accuracy", Kind.SHARE),
        span,
        _cell(row, "difference_base", Kind.DIFFERENCE),
        _cell(row, "p_base", Kind.PROBABILITY),
        _ratio(row, "accepted_candidates", "judged_candidates") if rated else show.NOTHING,
        _ratio(row, "fallback_steps", "judged_steps") if rated else show.NOTHING,
        _cell(row, "missing_scores", Kind.COUNT),
    ]


def _cell(row: Record, column: str, kind: Kind) -> str:
    value = row.real(column)
    return show.NOTHING if value is None else show.number(value, kind)


def _span(row: Record, low: str, high: str) -> str:
    return f"{_cell(row, low, Kind.SHARE)}{show.NOTHING}{_cell(row, high, Kind.SHARE)}"


def _ratio(row: Record, part: str, whole: str) -> str:
    every = row.count(whole)
    return show.number(row.count(part) / every, Kind.SHARE) if every else show.NOTHING


def _table(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[at]) for line in (_HEAD, *lines)) for at in range(len(_HEAD))]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([_text(_HEAD, widths), rule, *(_text(line, widths) for line in lines)])


def _text(line: Sequence[str], widths: Sequence[int]) -> str:
    """The first column to the left, numbers to the right."""
    cells = [
        line[0].ljust(widths[0]),
        *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
    ]
    return "  ".join(cells).rstrip()
