"""How often each judge gave each score: small bars, one row a judge.

Belongs here: this plot. Does not belong here: which candidates are counted (`analysis.diagnostics.judges`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verdict_assets.reporting.ledger.entry import Entry
from verdict_assets.reporting.plots.canvas import ACCENT, LINE, figure, to_svg


def draw(judges: Mapping[str, Sequence[tuple[float, Entry]]], title: str) -> str:
    """SVG of the shares per judge; each judge is a list of (score, share of its candidates)."""
    top = max((entry.value or 0.0 for bars in judges.values() for _, entry in bars), default=1.0)
    with figure(4.9, 0.45 + 0.72 * len(judges)) as canvas:
        rows = canvas.subplots(len(judges), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (judge, bars) in zip(rows, judges.items(), strict=True):
            heights = [100 * (entry.value or 0.0) for _, entry in bars]
            axes.set_facecolor("none")
            axes.bar([score for score, _ in bars], heights, width=0.035, color=ACCENT)
            axes.set_xlim(-0.03, 1.03)
            axes.set_ylim(0, 105 * top)
            axes.set_yticks([])
            axes.set_ylabel(judge, rotation=0, ha="right", va="center")
            axes.spines["bottom"].set_color(LINE)
            axes.tick_params(length=0)
        rows[-1].set_xticks([tenth / 10 for tenth in range(11)])
        rows[-1].set_xlabel("score")
        return to_svg(canvas, title)
