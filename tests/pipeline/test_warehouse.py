"""The warehouse: one file, made of the tables, open to any number of readers."""

from pathlib import Path

import duckdb
import pytest
from tiny_project import STUDY, Run

from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.orchestration.setting import read_setting
from verdict_assets.orchestration.warehouse import build_warehouse, open_warehouse
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import read_table


def test_it_holds_the_rows_of_every_table(finished: Project) -> None:
    with open_warehouse(finished.warehouse) as connection:
        for name, table in TABLES.items():
            path = finished.partition(name, STUDY, "toy") if table.partitioned else finished.table(name)
            rows = connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()
            assert rows == (len(read_table(table, path)),)


def test_a_reader_keeps_its_copy_while_it_is_rebuilt(closed: Project, run: Run) -> None:
    with open_warehouse(closed.warehouse) as reader, open_warehouse(closed.warehouse) as another:
        before = reader.execute("SELECT count(*) FROM outcomes").fetchone()
        (closed.warehouse.parent / ".verdict.duckdb.stamp.json").unlink()
        assert not build_warehouse(read_setting(closed)).reused
        assert reader.execute("SELECT count(*) FROM outcomes").fetchone() == before
        assert another.execute("SELECT count(*) FROM outcomes").fetchone() == before


def test_readers_cannot_write(finished: Project) -> None:
    with open_warehouse(finished.warehouse) as connection, pytest.raises(duckdb.InvalidInputException):
        connection.execute("DELETE FROM outcomes")


def test_it_says_what_to_do_before_there_is_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="recompute"):
        open_warehouse(tmp_path / "verdict.duckdb")


def test_the_joins_that_keys_promise_find_their_rows(finished: Project) -> None:
    """Every selection is of a candidate, every leaf has an answer."""
    with open_warehouse(finished.warehouse) as connection:
        orphans = connection.execute(
            """SELECT count(*) FROM selections s ANTI JOIN candidates c
               ON s.study = c.study AND s.benchmark = c.benchmark AND s.question_id = c.question_id
               AND s.node = c.node AND s.chosen = c.candidate"""
        ).fetchone()
        leaves = connection.execute(
            """SELECT count(*) FROM outcomes o ANTI JOIN answers a
               ON o.study = a.study AND o.benchmark = a.benchmark AND o.leaf = a.node
               WHERE o.closed"""
        ).fetchone()
    assert (orphans, leaves) == ((0,), (0,))
