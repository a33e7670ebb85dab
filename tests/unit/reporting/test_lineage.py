"""Lineage stands apart from the numbers, names no person or host, and keeps the run that made the bytes."""

from __future__ import annotations

import dataclasses
import getpass
import json
import platform

from verdict_assets.reporting.lineage import FILE, Lineage, record

TABLES = {"main_comparison": {"rows": 16, "rows_sha256": "ab", "fingerprint": "cd"}}
FIRST = Lineage("run-1", "recompute", "2026-01-02T03:04:05+00:00", True, TABLES)


def test_lineage_is_written_whole(tmp_path) -> None:
    (tmp_path / "numbers.csv").write_text("id\n")
    assert record(FIRST, tmp_path, ["numbers.csv"])
    assert sorted(file.name for file in tmp_path.iterdir()) == [FILE, "numbers.csv"]
    text = (tmp_path / FILE).read_text("utf-8")
    found = json.loads(text)
    assert (found["run_id"], found["job"], found["draft"]) == ("run-1", "recompute", True)
    assert found["tables"] == TABLES
    assert found["machine"]["python"] == platform.python_version()
    assert platform.node() not in text
    assert f'"{getpass.getuser()}"' not in text


def test_the_run_that_made_the_bytes_stays(tmp_path) -> None:
    page = tmp_path / "index.html"
    page.write_text("one")
    assert record(FIRST, tmp_path, ["index.html"])
    second = dataclasses.replace(FIRST, run_id="run-2")
    assert not record(second, tmp_path, ["index.html"])
    assert json.loads((tmp_path / FILE).read_text("utf-8"))["run_id"] == "run-1"
    page.write_text("two")
    assert record(second, tmp_path, ["index.html"])
    (tmp_path / FILE).write_text("{ damaged")
    assert record(second, tmp_path, ["index.html"])
