"""What all plots share: a figure without a display, colours with a meaning, SVG whose bytes do not change.

Belongs here: matplotlib's settings and the clean-up of its output. Does not belong here: what is drawn.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Colours are names for roles; `themed` exchanges them for variables of the page, which has a light and a
# dark set.
INK = "#1f2328"
MUTED = "#6a737d"
LINE = "#d8dee4"
ACCENT = "#0b6e6e"
PAPER = "#ffffff"
_VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    ACCENT: "var(--accent)",
    PAPER: "var(--paper)",
}


@contextmanager
def figure(width: float, height: float) -> Iterator[Figure]:
    """A figure of that size in inches; a user's matplotlibrc has no say in it, and pyplot is not touched."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text: small, and in the page's own font
        matplotlib.rcParams["font.size"] = 9.5
        matplotlib.rcParams["text.color"] = INK
        matplotlib.rcParams["axes.labelcolor"] = MUTED
        matplotlib.rcParams["axes.edgecolor"] = LINE
        matplotlib.rcParams["xtick.labelcolor"] = MUTED
        matplotlib.rcParams["ytick.labelcolor"] = INK
        for side in ("axes.spines.top", "axes.spines.right", "axes.spines.left"):
            matplotlib.rcParams[side] = False
        yield Figure(figsize=(width, height), layout="constrained", facecolor="none")


def grid(axes: Axes) -> None:
    """Faint vertical lines behind the data, no tick marks."""
    axes.set_facecolor("none")
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)


def to_svg(figure: Figure, title: str) -> str:
    """The figure as one <svg> element that scales with its container, titled for those who cannot see it.

    Ids inside are hashes salted with the title: without a salt they would be random, with one salt for all
    they would repeat on a page.
    """
    matplotlib.rcParams["svg.hashsalt"] = title
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    # Names of groups repeat from plot to plot, and an id may stand on a page only once.
    svg = re.sub(r' id="[a-zA-Z0-9.]+_\d+"', "", svg)
    svg = _unrepeated(svg)
    svg = re.sub(r' width="[\d.]+pt" height="[\d.]+pt"', ' role="img"', svg, count=1)
    svg = (
        svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "", 1)
        if "xlink:" not in svg[200:]
        else svg
    )
    return re.sub(r"(<svg[^>]*>)", rf"\1\n <title>{title}</title>", svg, count=1)


def to_png(figure: Figure) -> bytes:
    """The figure as a small PNG on white; its bytes may differ between machines, unlike those of the SVG."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=90, facecolor=PAPER)
    return out.getvalue()


def _unrepeated(svg: str) -> str:
    """Every id once: matplotlib defines a shape again in each pair of axes, equal in content and in id."""
    seen: set[str] = set()

    def keep_first(found: re.Match[str]) -> str:
        if found.group(0) in seen:
            return ""
        seen.add(found.group(0))
        return found.group(0)

    return re.sub(r' id="[^"]+"', keep_first, svg)


def themed(svg: str) -> str:
    """The same SVG with the page's colour variables in place of colours, and the page's font."""
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    return re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px; font-family: inherit", svg)
