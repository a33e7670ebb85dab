"""The report's files: made from the tables when something that they show has changed.

Belongs here: the inputs of the report and its fingerprint. Does not: pages and the ledger (reporting).
"""

from datetime import UTC, datetime
from pathlib import Path

from verdict_assets.config.fingerprint import file_hashes, fingerprint, sources
from verdict_assets.orchestration.basis import present
from verdict_assets.orchestration.recipe import MANIFEST, Made, read_input, stamp_of
from verdict_assets.orchestration.setting import Setting
from verdict_assets.orchestration.stamp import Stamp, valid_stamp, write_stamp
from verdict_assets.reporting import lineage, report
from verdict_assets.reporting.lineage import ancestry
from verdict_assets.schemas.catalogue import TABLES

INPUTS = ("main_comparison", "world_diagnostics", "score_manifest")
FILES = (report.NUMBERS, report.PAGE)


def make_report(setting: Setting) -> Made:
    """Write the ledger of numbers and the page, or find that both are there already.

    The record returned is the ledger's: its rows are the reported numbers.

    Raises:
        UserError: a table is missing or was changed.
    """
    folder = setting.project.reports
    expected = fingerprint(
        {
            "sources": sources([report.__name__]),
            "templates": _templates(),
            "studies": {name: study.mapping() for name, study in setting.studies.items()},
            "params": setting.params.mapping(),
            "inputs": {name: stamp_of(setting, name).rows_sha256 for name in INPUTS},
        }
    )
    found = [valid_stamp(folder / name) for name in FILES]
    ledger_stamp = found[0]
    if ledger_stamp is not None and all(stamp and stamp.fingerprint == expected for stamp in found):
        return Made(ledger_stamp, reused=True)
    tables = [read_input(setting, TABLES[name]) for name in INPUTS]
    built = report.build(*tables, studies=setting.studies, params=setting.params)
    report.write(built, folder)
    version = fingerprint({report.NUMBERS: built.numbers, report.PAGE: built.page})
    stamps = [
        write_stamp(folder / name, expected, len(built.ledger), version, {"draft": built.draft})
        for name in FILES
    ]
    return Made(stamps[0], reused=False)


def record_lineage(setting: Setting, made: Made, run_id: str, job: str) -> None:
    """Note which run computed the report and of what, unless the note there is already says the same."""
    upstream = present(setting)
    tables = [name for name in ancestry(upstream.bases, lineage.NUMBERS) if name in TABLES]
    partitions: dict[str, dict[str, dict[str, str | int]]] = {}
    for row in read_input(setting, TABLES[MANIFEST]).itertuples():
        facts: dict[str, str | int] = {"rows": int(str(row.rows)), "rows_sha256": str(row.sha256)}
        partitions.setdefault(f"{row.study}/{row.benchmark}", {})[str(row.table_name)] = facts
    computed = lineage.Lineage(
        run_id=run_id,
        job=job,
        computed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        draft=bool(made.stamp.facts.get("draft")),
        tables={name: _facts(stamp_of(setting, name)) for name in tables},
        partitions=partitions,
        upstream=upstream,
    )
    lineage.record(computed, setting.project.reports, FILES)


def _facts(stamp: Stamp) -> dict[str, str | int]:
    return {"rows": stamp.rows, "rows_sha256": stamp.rows_sha256, "fingerprint": stamp.fingerprint}


def _templates() -> dict[str, str]:
    """Hashes of what pages are made of besides Python."""
    folder = Path(report.__file__).parent
    return file_hashes(
        (path for path in folder.rglob("*") if path.is_file() and ".py" not in path.suffix), folder
    )
