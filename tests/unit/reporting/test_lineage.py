"""Lineage stands apart from the numbers, names no person or host, and keeps the run that made the bytes."""

from __future__ import annotations

import dataclasses
import getpass
import json
import platform

import pytest

from verdict_assets.errors import UserError
from verdict_assets.reporting.lineage import FILE, Lineage, Upstream, UpstreamBuilder, ancestry, read, record

TABLES = {"main_comparison": {"rows": 16, "rows_sha256": "ab", "fingerprint": "cd"}}
PARTITIONS = {"main/toy": {"candidates": {"rows": 5, "rows_sha256": "ef"}}}


def upstream(tau: float = 0.6, module: str = "11") -> Upstream:
    builder = UpstreamBuilder({"data/recorded/store": {"manifest.json": "22"}})
    builder.add("numbers", {"book": "33"}, {"params": {"power": 0.8}}, ["main_comparison"])
    builder.add("main_comparison", {"paired": module}, {"params": {"power": 0.8}}, ["outcomes"])
    builder.add("outcomes", {"replay": "44"}, {"params": {"consensus": {"tau": tau}}}, ["candidates"])
    return builder.build()


FIRST = Lineage("run-1", "recompute", "2026-01-02T03:04:05+00:00", True, TABLES, PARTITIONS, upstream())


def test_lineage_is_written_whole(tmp_path) -> None:
    (tmp_path / "numbers.csv").write_text("id\n")
    assert record(FIRST, tmp_path, ["numbers.csv"])
    assert sorted(file.name for file in tmp_path.iterdir()) == [FILE, "numbers.csv"]
    text = (tmp_path / FILE).read_text("utf-8")
    found = json.loads(text)
    assert (found["run_id"], found["job"], found["draft"]) == ("run-1", "recompute", True)
    assert found["tables"] == TABLES
    assert found["modules"] == {"book": "33", "paired": "11", "replay": "44"}
    assert found["reads"] == {"params.consensus.tau": 0.6, "params.power": 0.8}
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


@pytest.mark.parametrize("other", [upstream(tau=0.61), upstream(module="12")])
def test_the_same_bytes_made_of_something_else_are_another_computation(tmp_path, other: Upstream) -> None:
    page = tmp_path / "index.html"
    page.write_text("one")
    assert record(FIRST, tmp_path, ["index.html"])
    assert record(dataclasses.replace(FIRST, run_id="run-2", upstream=other), tmp_path, ["index.html"])
    assert read(tmp_path).run_id == "run-2"


def test_what_is_read_is_what_was_recorded(tmp_path) -> None:
    (tmp_path / "index.html").write_text("one")
    record(FIRST, tmp_path, ["index.html"])
    found = read(tmp_path)
    assert (found.tables, found.partitions) == (TABLES, PARTITIONS)
    assert (found.upstream.reads, found.upstream.layers) == (FIRST.upstream.reads, FIRST.upstream.layers)
    assert found.upstream.bases["outcomes"].reads == FIRST.upstream.bases["outcomes"].reads
    assert ancestry(found.upstream.bases, "numbers") == ["numbers", "main_comparison", "outcomes"]


@pytest.mark.parametrize("text", [None, "{ damaged", "[]", '{"run_id": "of an older form"}'])
def test_a_record_that_says_too_little_is_refused(tmp_path, text: str | None) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match="recompute"):
        read(tmp_path)
