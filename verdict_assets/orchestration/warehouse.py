"""The one DuckDB file with every table, for people who ask questions in SQL.

Belongs here: building the file and opening it for reading. Does not: any table's content. The file may be
deleted at any time; it is built beside its place and renamed, so that whoever has it open, a writer included,
keeps an own, whole copy and holds up nobody.
"""

import os
from pathlib import Path

import duckdb

from verdict_assets.config.fingerprint import fingerprint
from verdict_assets.errors import UserError
from verdict_assets.orchestration.recipe import Made, read_input, stamp_of
from verdict_assets.orchestration.setting import Setting
from verdict_assets.orchestration.stamp import valid_stamp, write_stamp
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import insert_rows
from verdict_assets.schemas.table import ddl

_READ_ONLY = 0o444
"""Mode of the file, so that a shell opened without `-readonly` is refused and locks nobody out."""


def build_warehouse(setting: Setting) -> Made:
    """Build the file from the tables, unless it holds exactly them already.

    Raises:
        UserError: a table is missing or was changed.
    """
    path = setting.project.warehouse
    contents = {
        name: stamp_of(setting, name).rows_sha256 for name, table in TABLES.items() if not table.partitioned
    }
    expected = fingerprint({"tables": contents, "ddl": [ddl(table) for table in TABLES.values()]})
    found = valid_stamp(path)
    if found is not None and found.fingerprint == expected:
        return Made(found, reused=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    partial.unlink(missing_ok=True)
    try:
        rows = _fill(partial, setting)
        partial.chmod(_READ_ONLY)
        # Left by somebody who opened the old file for writing; beside it the new one could not be opened.
        path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return Made(write_stamp(path, expected, rows, fingerprint(contents)), reused=False)


def open_warehouse(path: Path) -> duckdb.DuckDBPyConnection:
    """The warehouse, read-only; any number of readers may have it open, also while it is rebuilt.

    Raises:
        UserError: there is none, or another process has it open for writing.
    """
    if not path.is_file():
        raise UserError("there is no warehouse yet", where=str(path), remedy="run the job `recompute`")
    try:
        return duckdb.connect(str(path), read_only=True, config={"autoinstall_known_extensions": False})
    except duckdb.IOException as error:
        raise UserError(
            f"the warehouse cannot be opened, likely since another process has it open for writing: {error}",
            where=str(path),
            remedy="close that process; with `duckdb -readonly` any number may read. Or delete the file, and "
            "run the job `recompute`",
        ) from error


def _fill(path: Path, setting: Setting) -> int:
    total = 0
    with duckdb.connect(
        str(path), config={"threads": 1, "autoinstall_known_extensions": False}
    ) as connection:
        for table in TABLES.values():
            connection.execute(ddl(table))
            total += insert_rows(connection, table, read_input(setting, table))
    return total
