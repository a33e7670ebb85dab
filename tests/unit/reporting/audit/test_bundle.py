"""A bundle is the same bytes every time, and holds up, or not, without the project."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import duckdb
import pytest
import yaml
from audited_project import ACCURACY

from verdict_assets.cli.main import main
from verdict_assets.config.paths import ROOT_VARIABLE, Project
from verdict_assets.errors import UserError
from verdict_assets.reporting.audit import archive

SCORES = "tables/raw_scores.parquet"


@pytest.fixture
def bundle(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> Path:
    path = tmp_path / "review.tar"
    assert main(["bundle", "-o", str(path)]) == 0
    assert f"verdict bundle --verify {path}" in capsys.readouterr().out
    monkeypatch.delenv(ROOT_VARIABLE)  # a reviewer has the file alone
    monkeypatch.chdir(tmp_path)
    return path


def test_it_holds(bundle: Path, capsys) -> None:
    assert main(["bundle", "--verify", str(bundle)]) == 0
    assert capsys.readouterr().out.endswith("computed again from the bundle alone: the same to the bit\n")


def test_the_same_report_is_the_same_bytes(bundle, project, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv(ROOT_VARIABLE, str(project.root))
    assert main(["bundle", "-o", str(tmp_path / "again.tar")]) == 0
    assert (tmp_path / "again.tar").read_bytes() == bundle.read_bytes()


def test_it_holds_no_picture_and_no_path_of_the_machine(bundle: Path, project: Project) -> None:
    names = set(archive.unpack(bundle))
    assert {
        "params.yaml",
        "studies/tiny.yaml",
        "reports/numbers.csv",
        "reports/lineage.json",
        SCORES,
    } <= names
    assert not any(name.startswith("data/") for name in names)
    assert str(project.root).encode() not in bundle.read_bytes()


def test_a_changed_byte_is_refused(bundle: Path, capsys) -> None:
    data = bytearray(bundle.read_bytes())
    with tarfile.open(bundle) as whole:
        at = whole.getmember(SCORES).offset_data + 10
    data[at] ^= 1
    bundle.write_bytes(data)
    assert main(["bundle", "--verify", str(bundle)]) == 2
    assert f"{SCORES}: was changed" in capsys.readouterr().err


def test_a_changed_score_packed_anew_is_named(bundle: Path, tmp_path: Path, capsys) -> None:
    files = archive.unpack(bundle)
    path, other = tmp_path / "scores.parquet", tmp_path / "other.parquet"
    path.write_bytes(files[SCORES])
    changed = "CASE WHEN score = 0.9 THEN 0.1 ELSE score END AS score"
    with duckdb.connect() as connection:
        rows = f"SELECT * REPLACE ({changed}) FROM read_parquet('{path}')"
        connection.execute(f"COPY ({rows}) TO '{other}' (FORMAT parquet)")
    bundle.write_bytes(archive.pack({**files, SCORES: other.read_bytes()}))
    assert main(["bundle", "--verify", str(bundle)]) == 1
    shown = capsys.readouterr().out
    assert "rows of raw_scores tiny/toy" in shown
    assert "world_diagnostics/tiny.toy/score_visual_0.9" in shown


def test_an_edited_ledger_packed_anew_is_named(bundle: Path, capsys) -> None:
    files = archive.unpack(bundle)
    lines = files["reports/numbers.csv"].decode().splitlines(keepends=True)
    at = next(index for index, line in enumerate(lines) if line.startswith(ACCURACY))
    lines[at] = lines[at].replace("share,", "share,0.9", 1)
    bundle.write_bytes(archive.pack({**files, "reports/numbers.csv": "".join(lines).encode()}))
    assert main(["bundle", "--verify", str(bundle)]) == 1
    shown = capsys.readouterr().out
    assert "numbers.csv, which is not what run run-1 wrote" in shown
    assert f"DIFFERS  {ACCURACY}: value" in shown


def test_other_code_is_named_as_a_possible_reason(bundle: Path, capsys) -> None:
    files = archive.unpack(bundle)
    lineage = json.loads(files["reports/lineage.json"])
    lineage["modules"] |= {"verdict_assets.nowhere": "0" * 64}
    lineage["files"]["numbers.csv"] = "0" * 64
    bundle.write_bytes(archive.pack({**files, "reports/lineage.json": json.dumps(lineage).encode()}))
    assert main(["bundle", "--verify", str(bundle)]) == 1
    assert "not the code that made the report: verdict_assets.nowhere" in capsys.readouterr().out


def test_a_report_of_other_parameters_is_not_vouched_for(project, capsys) -> None:
    params = yaml.safe_load(project.params.read_text())
    params["consensus"]["tau"] = 0.61
    project.params.write_text(yaml.safe_dump(params))
    assert main(["bundle", "-o", str(project.root / "no.tar")]) == 2
    assert "verdict audit --all --verify" in capsys.readouterr().err
    assert not (project.root / "no.tar").exists()


def test_a_name_that_leads_out_is_refused(bundle: Path, capsys) -> None:
    files = archive.unpack(bundle)
    bundle.write_bytes(archive.pack({**files, "../outside": b""}))
    assert main(["bundle", "--verify", str(bundle)]) == 2
    assert "outside" in capsys.readouterr().err


@pytest.mark.parametrize("data", [None, b"", b"no archive" * 100])
def test_what_is_no_bundle_is_told(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "file.tar"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UserError, match="no bundle"):
        archive.unpack(path)
