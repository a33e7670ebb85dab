"""`verdict show`: columns explained, and a remedy where nothing was computed yet."""

from pathlib import Path

import pytest
from tiny_project import make_project

from verdict_assets.cli.main import main
from verdict_assets.schemas.catalogue import TABLES


def test_columns_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "consensus", "--columns"]) == 0
    shown = capsys.readouterr().out
    assert all(column.name in shown for column in TABLES["consensus"].columns)


def test_before_the_first_run_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_project(tmp_path / "project")
    monkeypatch.setenv("VERDICT_ROOT", str(project.root))
    assert main(["show"]) == 2
    assert "recompute" in capsys.readouterr().err
