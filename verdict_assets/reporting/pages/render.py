"""Fill the template: one HTML text without any reference to another file.

Belongs here: Jinja's settings. Does not belong here: what is shown (`model`) and how a number looks
(`markup`).
"""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from verdict_assets.reporting.ledger.book import Ledger
from verdict_assets.reporting.pages.markup import Numbers
from verdict_assets.reporting.pages.model import CONFIDENCE, Page

_PACKAGE = "verdict_assets.reporting.pages"


def render(page: Page, ledger: Ledger) -> str:
    """The page as HTML: the same ledger gives the same bytes."""
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = files(_PACKAGE)
    return environment.get_template("index.html.jinja").render(
        page=page,
        number=Numbers(ledger),
        confidence=CONFIDENCE,
        css=Markup(folder.joinpath("page.css").read_text("utf-8")),
        script=Markup(folder.joinpath("page.js").read_text("utf-8")),
        svg=Markup,
    )
