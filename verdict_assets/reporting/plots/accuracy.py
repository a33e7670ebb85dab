"""Accuracy of every strategy on one benchmark: a dot with its interval, Base as the line to compare with.

Belongs here: this plot. Does not belong here: order and names of strategies (`labels`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from verdict_assets.reporting.ledger.entry import Entry
from verdict_assets.reporting.plots.canvas import ACCENT, INK, MUTED, PAPER, figure, grid, to_png, to_svg


@dataclass(frozen=True, slots=True)
class Dot:
    """One line of the plot: accuracy with its interval, or the two bounds of an unfinished cell."""

    name: str
    accuracy: Entry
    bounds: tuple[Entry, Entry] | None = None
    strong: bool = False
    reference: bool = False


def draw(dots: Sequence[Dot], title: str, limits: tuple[float, float]) -> str:
    """SVG of the dots from top to bottom; `limits` are shares, for plots side by side to have one axis."""
    with _plot(dots, limits) as canvas:
        return to_svg(canvas, title)


def picture(dots: Sequence[Dot], limits: tuple[float, float]) -> bytes:
    """The same plot as a PNG, for where no SVG is shown."""
    with _plot(dots, limits) as canvas:
        return to_png(canvas)


@contextmanager
def _plot(dots: Sequence[Dot], limits: tuple[float, float]) -> Iterator[Figure]:
    with figure(4.9, 0.62 + 0.25 * len(dots)) as canvas:
        axes = canvas.add_subplot()
        for line, dot in enumerate(dots):
            _dot(axes, dot, len(dots) - 1 - line)
        _reference(axes, dots)
        axes.set_yticks(range(len(dots)), [dot.name for dot in reversed(dots)])
        axes.set_ylim(-0.7, len(dots) - 0.3)
        axes.set_xlim(100 * limits[0], 100 * limits[1])
        axes.set_xlabel("accuracy, %")
        grid(axes)
        for label, dot in zip(axes.get_yticklabels(), reversed(dots), strict=True):
            label.set_color(ACCENT if dot.strong else INK)
            label.set_fontweight("bold" if dot.strong else "normal")
        yield canvas


def limits(dots: Sequence[Dot]) -> tuple[float, float]:
    """An axis that holds every interval and bound, widened to whole tenths."""
    ends = [end for dot in dots for end in _ends(dot)]
    if not ends:
        return 0.0, 1.0
    low, high = int(min(ends) * 10) / 10, -int(-max(ends) * 10 // 1) / 10
    return max(0.0, low), min(1.0, high)


def _ends(dot: Dot) -> list[float]:
    entries = dot.bounds or (dot.accuracy,)
    values = [value for entry in entries for value in (entry.lower, entry.value, entry.upper)]
    return [value for value in values if value is not None]


def _dot(axes: Axes, dot: Dot, line: int) -> None:
    colour = ACCENT if dot.strong else INK if dot.reference else MUTED
    entry = dot.accuracy
    if entry.value is not None and entry.lower is not None and entry.upper is not None:
        axes.plot([100 * entry.lower, 100 * entry.upper], [line, line], color=colour, linewidth=1.6)
        axes.plot([100 * entry.value], [line], "o", color=colour, markersize=6.5 if dot.strong else 5)
    elif dot.bounds is not None and dot.bounds[0].value is not None and dot.bounds[1].value is not None:
        ends = [100 * dot.bounds[0].value, 100 * dot.bounds[1].value]
        axes.plot(ends, [line, line], "|", color=colour, linestyle=(0, (1, 1.5)), markersize=7, linewidth=1.2)
        axes.plot([sum(ends) / 2], [line], "o", color=PAPER, markersize=0)


def _reference(axes: Axes, dots: Sequence[Dot]) -> None:
    for dot in dots:
        if dot.reference and dot.accuracy.value is not None:
            axes.axvline(
                100 * dot.accuracy.value, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0.5
            )
