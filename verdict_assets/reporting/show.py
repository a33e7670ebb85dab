"""How a ledger entry looks when it is read by people.

Belongs here: rounding, signs and units of one number. Does not belong here: pages and tables.
"""

from __future__ import annotations

from verdict_assets.reporting.ledger.entry import Entry, Kind

NOTHING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"
_THIN = "\N{NARROW NO-BREAK SPACE}"


def value(entry: Entry) -> str:
    """The value without its unit: percent for shares, signed percentage points for differences."""
    return NOTHING if entry.value is None else number(entry.value, entry.kind)


def interval(entry: Entry) -> str:
    """Both ends in the unit of the value, or nothing."""
    if entry.lower is None or entry.upper is None:
        return ""
    between = NOTHING if entry.kind is not Kind.DIFFERENCE else " to "
    return f"{number(entry.lower, entry.kind)}{between}{number(entry.upper, entry.kind)}"


def deviation(entry: Entry) -> str:
    """The deviation over judge seeds in the unit of the value, or nothing."""
    if entry.deviation is None:
        return ""
    return number(entry.deviation, Kind.SHARE if entry.kind is Kind.DIFFERENCE else entry.kind)


def counts(entry: Entry) -> str:
    """The exact quotient, or nothing."""
    if entry.numerator is None or entry.denominator is None:
        return ""
    return f"{number(entry.numerator, Kind.COUNT)} of {number(entry.denominator, Kind.COUNT)}"


def unit(kind: Kind) -> str:
    """What follows the value where the heading does not say it."""
    return {Kind.SHARE: f"{_THIN}%", Kind.DIFFERENCE: f"{_THIN}points"}.get(kind, "")


def number(x: float, kind: Kind) -> str:
    """A finite number of that kind, rounded for reading."""
    if kind is Kind.SHARE:
        return f"{100 * x:.1f}"
    if kind is Kind.DIFFERENCE:
        text = f"{100 * x:+.1f}"
        return "0.0" if float(text) == 0 else text.replace("-", _MINUS)
    if kind is Kind.PROBABILITY:
        return "< 0.001" if x < 0.001 else f"{x:.3f}"
    if kind is Kind.COUNT:
        whole = f"{x:,.0f}" if float(x).is_integer() else f"{x:,.1f}"
        return whole.replace(",", _THIN)
    return f"{x:.0f}" if float(x).is_integer() else f"{x:.3g}".replace("-", _MINUS)
