"""The warehouse: one file, made of the tables, open to any number of readers."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from tiny_project import STUDY, Run

from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.orchestration.setting import read_setting
from verdict_assets.orchestration.stamp import stamp_path
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


HOLD = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "reading")
for line in sys.stdin:  # a statement a line, its rows a line
    print(connection.execute(line).fetchall(), flush=True)
"""


class Shell:
    """Another process that has the file open, like a DuckDB shell."""

    def __init__(self, path: Path, how: str) -> None:
        command = [sys.executable, "-c", HOLD, str(path), how]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.ask("SELECT 1") == "[(1,)]"

    def ask(self, statement: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{statement}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        _, said = self.process.communicate()
        assert self.process.returncode == 0, said


def rebuilt(project: Project) -> None:
    stamp_path(project.warehouse).unlink()
    assert not build_warehouse(read_setting(project)).reused


def rows(path: Path) -> object:
    with open_warehouse(path) as connection:
        return connection.execute("SELECT count(*) FROM outcomes").fetchone()


def test_readers_in_other_processes_hold_up_nobody(closed: Project, run: Run) -> None:
    """Two shells and two builds: every reader keeps answering, from the copy that it opened."""
    shells = [Shell(closed.warehouse, "reading") for _ in range(2)]
    before = shells[0].ask("SELECT count(*) FROM outcomes")
    rebuilt(closed)
    shells.append(Shell(closed.warehouse, "reading"))
    rebuilt(closed)
    assert [shell.ask("SELECT count(*) FROM outcomes") for shell in shells] == [before] * 3
    for shell in shells:
        shell.close()


def test_a_shell_that_writes_is_left_behind_by_the_next_build(closed: Project) -> None:
    """It locks others out until then, which is said; its changes never reach the new file."""
    expected = rows(closed.warehouse)
    assert not closed.warehouse.stat().st_mode & 0o222, "opened by mistake it is refused, but to root"
    closed.warehouse.chmod(0o644)
    shell = Shell(closed.warehouse, "writing")
    shell.ask("DELETE FROM outcomes")
    with pytest.raises(UserError, match="open for writing"):
        open_warehouse(closed.warehouse)
    rebuilt(closed)
    assert rows(closed.warehouse) == expected
    shell.ask("CREATE TABLE mine AS SELECT 1")
    shell.close()
    assert rows(closed.warehouse) == expected
    assert build_warehouse(read_setting(closed)).reused


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
