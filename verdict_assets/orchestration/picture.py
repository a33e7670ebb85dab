"""The report's first plot as a picture that the UI can show beside the report.

Belongs here: reading the report's tables for it, and the markdown around it. Does not: the plot
(reporting/plots), or what it shows (reporting/pages/model.py).
"""

from base64 import b64encode

from verdict_assets.orchestration.recipe import read_input
from verdict_assets.orchestration.report import INPUTS
from verdict_assets.orchestration.setting import Setting
from verdict_assets.reporting.ledger import tables as ledger_tables
from verdict_assets.reporting.pages.model import axis_of, dots, shown_studies
from verdict_assets.reporting.plots import accuracy
from verdict_assets.schemas.catalogue import TABLES


def accuracy_pictures(setting: Setting) -> str:
    """The accuracies of the report's first study as markdown, one picture a benchmark, the pictures inside.

    Raises:
        UserError: a table is missing or was changed.
    """
    tables = [read_input(setting, TABLES[name]) for name in INPUTS]
    ledger = ledger_tables.build(*tables, studies=setting.studies, params=setting.params)
    shown = []
    for study in shown_studies(ledger, setting.studies)[:1]:
        plotted = dots(ledger, study)
        for benchmark, of_benchmark in plotted.items():
            picture = b64encode(accuracy.picture(of_benchmark, axis_of(plotted))).decode()
            title = f"Accuracy on {benchmark}, study {study.name}"
            shown.append(f"{title}\n\n![{title}](data:image/png;base64,{picture})")
    return "\n\n".join(shown)
