"""The report: tables in, ledger and page out, files written.

Belongs here: the order of the few steps, and where their results go. Does not belong here: any of the steps.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from verdict_assets.config.params import Params
from verdict_assets.config.studies import StudySpec
from verdict_assets.reporting.ledger import tables
from verdict_assets.reporting.ledger.book import Ledger, numbers_csv
from verdict_assets.reporting.pages import model, render

NUMBERS = "numbers.csv"
PAGE = "index.html"


@dataclass(frozen=True, slots=True)
class Report:
    """A finished report; the same tables give the same bytes in both texts."""

    ledger: Ledger
    numbers: str
    page: str
    draft: bool


def build(
    main_comparison: pd.DataFrame,
    world_diagnostics: pd.DataFrame,
    score_manifest: pd.DataFrame,
    *,
    studies: Mapping[str, StudySpec],
    params: Params,
) -> Report:
    """Write every number into a ledger and fill the page from it."""
    ledger = tables.build(main_comparison, world_diagnostics, score_manifest, studies=studies, params=params)
    page = model.build(ledger, studies)
    return Report(ledger, numbers_csv(ledger), render.render(page, ledger), page.draft)


def write(report: Report, folder: Path) -> dict[str, Path]:
    """Write `numbers.csv` and `index.html` into a folder, each replaced as a whole; return paths by name."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {}
    for name, text in ((NUMBERS, report.numbers), (PAGE, report.page)):
        path = folder / name
        unfinished = folder / f".{name}.{os.getpid()}"
        unfinished.write_text(text, encoding="utf-8", newline="\n")
        unfinished.replace(path)
        written[name] = path
    return written
