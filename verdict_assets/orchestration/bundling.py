"""What a reviewer needs to check every number without the project's data: a bundle, and its verification.

Belongs here: which files and tables are in a bundle, and computing its numbers again. Does not: the form of
the archive (reporting/audit/archive.py), printing (cli/bundle.py).
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from verdict_assets.config.fingerprint import sources
from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.orchestration.afresh import compute, derive, ledger_rows
from verdict_assets.orchestration.auditing import open_audit
from verdict_assets.orchestration.extraction import PARTITIONED
from verdict_assets.orchestration.recipe import MANIFEST
from verdict_assets.orchestration.setting import read_setting
from verdict_assets.reporting import lineage
from verdict_assets.reporting.audit import archive, reported
from verdict_assets.reporting.audit.changes import Change, compare_rows
from verdict_assets.reporting.audit.reported import Difference
from verdict_assets.reporting.lineage import Facts, Lineage
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import file_sha256, read_table, rows_sha256, write_table

GIVEN = ("questions", *PARTITIONED, MANIFEST, "step_labels")
"""The tables of a bundle: what models and benchmarks gave. Everything else is computed from them."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What became of a verification: how many numbers there are, and everything that does not hold.

    edited: files of the report that are not those of the run. code: modules that are not those of the run,
    which may be why a number differs.
    """

    numbers: int
    differences: list[Difference]
    changes: list[Change]
    edited: list[str]
    run_id: str
    code: list[str]


def make_bundle(project: Project) -> bytes:
    """The bundle of a project's report; the same report and answers give the same bytes.

    Raises:
        UserError: the report is not what the stored answers give.
    """
    audit = open_audit(project)
    made = compute(audit.setting)
    if audit.differences(made) or any(audit.touched(audit.changes).values()):
        raise UserError(
            "the report is not of the present answers, parameters and code, so there is nothing to vouch for",
            where=project.reports,
            remedy="run the job `recompute`; `verdict audit --all --verify` says what differs",
        )
    paths = [project.params, *sorted(project.studies.glob("*.yaml")), *sorted(project.reports.glob("[!.]*"))]
    files = {path.relative_to(project.root).as_posix(): path.read_bytes() for path in paths if path.is_file()}
    with tempfile.TemporaryDirectory() as folder:
        for name in GIVEN:
            path = Path(folder, f"{name}.parquet")
            write_table(made.tables[name], TABLES[name], path)
            files[_table(name)] = path.read_bytes()
    return archive.pack(files)


def verify_bundle(bundle: Path) -> Verified:
    """Compute every number of a bundle from its tables, and compare bit for bit; needs nothing else.

    Raises:
        UserError: it is no bundle, or a file in it was changed.
    """
    files = archive.unpack(bundle)
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder))
        _write(files, project.root)
        setting, recorded = read_setting(project), lineage.read(project.reports)
        rows = reported.load(project.reports)
        given = {name: read_table(TABLES[name], project.root / _table(name)) for name in GIVEN}
        edited = [
            name
            for name, sha256 in recorded.files.items()
            if not (project.reports / name).is_file() or file_sha256(project.reports / name) != sha256
        ]
    found = ledger_rows(setting, derive(setting, given))
    differences = reported.differences(rows, found, sorted({*rows, *found}))
    code = [name for name, sha256 in recorded.upstream.modules.items() if _source(name) != sha256]
    return Verified(len(rows), differences, _moved(given, recorded), edited, recorded.run_id, code)


def _source(module: str) -> str | None:
    """The hash of a module of this package; None where it has none of that name."""
    try:
        return sources([module])[module]
    except ValueError:
        return None


def _moved(given: Mapping[str, pd.DataFrame], recorded: Lineage) -> list[Change]:
    """Given tables whose rows are not the recorded ones."""
    now: dict[str, dict[str, Facts]] = {}
    for pair in recorded.partitions:
        study, benchmark = pair.split("/")
        now[pair] = {
            name: _facts(name, frame[(frame["study"] == study) & (frame["benchmark"] == benchmark)])
            for name, frame in given.items()
            if name in PARTITIONED
        }
    tables = [name for name in GIVEN if name not in PARTITIONED]
    before = {**recorded.partitions, "as reported": {name: recorded.tables[name] for name in tables}}
    return compare_rows(before, {**now, "as reported": {name: _facts(name, given[name]) for name in tables}})


def _facts(name: str, frame: pd.DataFrame) -> Facts:
    return {"rows_sha256": rows_sha256(frame.reset_index(drop=True), TABLES[name])}


def _table(name: str) -> str:
    return f"tables/{name}.parquet"


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a bundle; a name that leads out of the folder is refused."""
    for name, data in files.items():
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise UserError("a file of the bundle lies outside of it", where=name, remedy="do not trust it")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
