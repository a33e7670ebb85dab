"""Published bytes do not depend on how many threads DuckDB has, although the package itself asks for one."""

import shutil
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from tiny_project import Run

from verdict_assets.config.paths import Project
from verdict_assets.inference.store import shard
from verdict_assets.schemas.parquet import read_table, rows_sha256, write_table
from verdict_assets.schemas.table import Column, Table, Type

SCORES = Table(
    name="scores",
    meaning="Enough rows for several threads.",
    columns=(
        Column("id", Type.INTEGER, "Id."),
        Column("score", Type.REAL, "Score."),
        Column("t", Type.TEXT, "T."),
    ),
    key=("id",),
)


def give(threads: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let every database have so many threads; the list grows by one a database."""
    real, opened = duckdb.connect, []

    def connect(*args: object, **options: object) -> duckdb.DuckDBPyConnection:
        options["config"] = {**options.get("config", {}), "threads": threads}
        connection = real(*args, **options)
        opened.append(connection.execute("SELECT current_setting('threads')").fetchall()[0][0])
        return connection

    monkeypatch.setattr(duckdb, "connect", connect)
    monkeypatch.setattr(shard, "_databases", {})
    return opened


def contents(project: Project) -> dict[str, bytes]:
    files = [
        *project.tables.rglob("*.parquet"),
        project.reports / "numbers.csv",
        project.reports / "index.html",
    ]
    return {path.relative_to(project.root).as_posix(): path.read_bytes() for path in files}


def test_tables_and_numbers(
    finished: Project, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(shutil.copytree(finished.root, tmp_path / "project"))
    for folder in (project.tables, project.reports):
        shutil.rmtree(folder)
    opened = give(2, monkeypatch)
    run(project, "recompute")
    assert set(opened) == {2}
    assert contents(project) == contents(finished)


def test_a_table_of_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = np.random.default_rng(0)
    rows = pd.DataFrame({"id": draws.permutation(150_000), "score": draws.random(150_000)})
    rows["t"] = rows["id"].astype(str)
    found = set()
    for threads in (1, 2):
        with monkeypatch.context() as patched:
            give(threads, patched)
            path = tmp_path / f"{threads}.parquet"
            stored = write_table(rows, SCORES, path)
            assert rows_sha256(read_table(SCORES, path), SCORES) == rows_sha256(stored, SCORES)
            found.add(path.read_bytes())
    assert len(found) == 1
