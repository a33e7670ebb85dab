"""The rule that a page may show no figure but those of the ledger, as a check of finished HTML.

Belongs here: finding digits where no number of the ledger, no code, no time and no axis tick stands. Does not
belong here: how a number gets onto a page (`markup`).
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

_QUIET = frozenset({"data", "code", "time", "style", "script"})
"""Elements in which digits may stand."""
_SPOKEN = ("title", "aria-label", "alt")
"""Attributes that a reader sees or hears."""
_WITHOUT_END = frozenset({"meta", "br", "link", "img", "input", "hr"})
_TICK = re.compile(r"[-\N{MINUS SIGN}]?\d+(?:\.\d+)?")
_NAME = re.compile(r"[A-Za-z_]\w*")


def stray_digits(page: str) -> list[str]:
    """Every text of the page, or attribute that a reader sees, in which a digit stands that may not.

    In a plot, where there is no <code>, a text may be a tick, which is a number and nothing else, and may
    contain a name that has a digit (`scenes_2d`).
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.stray


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.stray: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("class") != "n":  # the hover text of a number of the ledger
            for name in _SPOKEN:
                self._judge(given.get(name) or "")
        if tag not in _WITHOUT_END:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element of a plot without content, such as a path."""

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, text: str) -> None:
        if not _QUIET & set(self._open):
            self._judge(text.strip())

    def _judge(self, text: str) -> None:
        in_plot = "svg" in self._open
        if in_plot and _TICK.fullmatch(text):
            return
        if re.search(r"\d", _NAME.sub("", text) if in_plot else text):
            self.stray.append(text)
