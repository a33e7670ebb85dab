"""Lineage stands apart from the numbers and names no person and no host."""

from __future__ import annotations

import getpass
import json
import platform

from verdict_assets.reporting.lineage import FILE, Lineage, write


def test_lineage_is_written_whole(tmp_path) -> None:
    tables = {"main_comparison": {"rows": 16, "rows_sha256": "ab", "fingerprint": "cd"}}
    path = write(Lineage("run-1", "recompute", "2026-01-02T03:04:05+00:00", True, tables), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [FILE]
    found = json.loads(path.read_text("utf-8"))
    assert (found["run_id"], found["job"], found["draft"]) == ("run-1", "recompute", True)
    assert found["tables"] == tables
    assert found["machine"]["python"] == platform.python_version()
    text = path.read_text("utf-8")
    assert platform.node() not in text
    assert f'"{getpass.getuser()}"' not in text
