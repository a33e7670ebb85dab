"""A ledger entry as HTML: the only way in which a figure gets onto a page.

Belongs here: the element around a number, its anchor and what it says when asked. Does not belong here:
rounding (`show`) and layout (the template).
"""

from __future__ import annotations

from markupsafe import Markup, escape

from verdict_assets.reporting import show
from verdict_assets.reporting.ledger.book import Ledger
from verdict_assets.reporting.ledger.entry import Entry, Kind


class Numbers:
    """Numbers of one page, by id. The first place where a number stands carries its id as anchor."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._anchored: set[str] = set()

    def value(self, number: str, *, unit: bool = False) -> Markup:
        """The value, or a dash. With `unit`, percent or points follow.

        Raises KeyError for an id that the ledger does not have.
        """
        entry = self._ledger[number]
        text = show.value(entry) + (show.unit(entry.kind) if unit and entry.value is not None else "")
        return self._linked(entry, text)

    def interval(self, number: str) -> Markup:
        """The confidence interval in small print, or nothing."""
        entry = self._ledger[number]
        text = show.interval(entry)
        return Markup('<span class="ci"><data value="{}/{}">{}</data></span>').format(
            _plain(entry.lower), _plain(entry.upper), text
        ) if text else Markup("")  # fmt: skip

    def counts(self, number: str) -> Markup:
        """The exact quotient in small print, or nothing."""
        entry = self._ledger[number]
        text = show.counts(entry)
        value = f"{_plain(entry.numerator)}/{_plain(entry.denominator)}"
        return (
            Markup('<span class="ci"><data value="{}">{}</data></span>').format(value, text)
            if text
            else Markup("")
        )

    def hits(self, number: str) -> Markup:
        """The numerator alone: how often something happened."""
        entry = self._ledger[number]
        hits = 0.0 if entry.numerator is None else entry.numerator
        return self._linked(entry, show.number(hits, Kind.COUNT), hits)

    def definitions(self) -> dict[str, str]:
        """Definitions of the numbers shown so far: by column, or by id where a column has several."""
        shown = [self._ledger[number] for number in sorted(self._anchored)]
        by_column: dict[str, set[str]] = {}
        for entry in shown:
            by_column.setdefault(_column(entry), set()).add(entry.definition)
        found = {column: texts.pop() for column, texts in by_column.items() if len(texts) == 1}
        found |= {entry.id: entry.definition for entry in shown if _column(entry) not in found}
        return dict(sorted(found.items()))

    def has(self, number: str) -> bool:
        """Whether the ledger has the number at all."""
        return number in self._ledger

    def known(self, number: str) -> bool:
        """Whether the number has a point value."""
        entry = self._ledger.get(number)
        return entry is not None and entry.value is not None

    def significant(self, number: str, level: str) -> bool:
        """Whether a probability lies below one minus the confidence level with the id `level`."""
        p, confidence = self._ledger.get(number), self._ledger[level].value
        return p is not None and p.value is not None and confidence is not None and p.value < 1 - confidence

    def _linked(self, entry: Entry, text: str, shown: float | None = None) -> Markup:
        anchor = Markup("")
        if entry.id not in self._anchored:
            self._anchored.add(entry.id)
            anchor = Markup(' id="{}"').format(entry.id)
        value = entry.value if shown is None else shown
        inner = (
            Markup('<data value="{}">{}</data>').format(_plain(value), text)
            if value is not None
            else escape(text)
        )
        return Markup('<a class="n"{} href="#{}" title="{}">{}</a>').format(
            anchor, entry.id, _story(entry), inner
        )


def _story(entry: Entry) -> str:
    """What a reader is told besides the definition: counts, interval, deviation, what it rests on, id."""
    parts = []
    if counts := show.counts(entry):
        parts.append(counts)
    if interval := show.interval(entry):
        parts.append(f"interval {interval}{show.unit(entry.kind)}")
    if deviation := show.deviation(entry):
        parts.append(f"standard deviation over judge seeds {deviation}{show.unit(entry.kind)}")
    if entry.draft:
        parts.append("draft: rests on responses that are not frozen")
    return "\n".join([*parts, entry.id])


def _column(entry: Entry) -> str:
    return f"{entry.table}//{entry.column}"


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
