"""`verdict explain` on a small project: finding the question, printing its path, helpful errors."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import yaml

from verdict_assets.cli.main import main
from verdict_assets.config.paths import ROOT_VARIABLE, Project
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import write_table


@pytest.fixture
def project(closed_world, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = Project(tmp_path)
    parameters = closed_world.params.mapping()
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(parameters))
    study = dataclasses.asdict(closed_world.studies["main"])
    for decoding in study["judge_decoding"]:
        del decoding["seeds"], decoding["strategies"]
    study |= {name: list(study[name]) for name in ("judges", "strategies", "judge_decoding")}
    project.studies.mkdir()
    (project.studies / "main.yaml").write_text(yaml.safe_dump(study))
    write_table(closed_world.questions, TABLES["questions"], project.table("questions"))
    for name in ("candidates", "raw_scores", "answers"):
        write_table(getattr(closed_world, name), TABLES[name], project.partition(name, "main", "scenes_2d"))
    monkeypatch.setenv(ROOT_VARIABLE, str(tmp_path))
    return project


def test_prints_the_path(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "scenes_2d-0001", "--strategy", "verdict"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("scenes_2d-0001, benchmark scenes_2d, study main\n")
    assert "(A) square" in out
    assert "step 2, 3 candidates" in out
    assert out.rstrip().splitlines()[-1].startswith("answer ")


def test_a_beginning_of_an_id_is_enough_if_only_one_has_it(project, capsys) -> None:
    assert main(["explain", "scenes_2d-0019", "--strategy", "base"]) == 0
    assert main(["explain", "scenes_2d-001", "--strategy", "base"]) == 2
    error = capsys.readouterr().err
    assert "10 questions have an id that begins with 'scenes_2d-001'" in error
    assert "and 2 more" in error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "no question has an id that begins with 'nobody'"),
        (["scenes_2d-0001", "--strategy", "luck"], "there is no strategy 'luck'"),
        (["scenes_2d-0001", "--study", "other"], "there is no study 'other'"),
        (["scenes_2d-0001", "--benchmark", "blink"], "there is no benchmark in this study 'blink'"),
        (["scenes_2d-0001", "--score-set", "hot"], "there is no score set 'hot'"),
    ],
)
def test_errors_name_what_there_is(project, capsys, arguments: list[str], said: str) -> None:
    assert main(["explain", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "what to do" in error


def test_missing_and_damaged_tables(project: Project, capsys) -> None:
    path = project.partition("candidates", "main", "scenes_2d")
    path.write_bytes(b"not parquet")
    assert main(["explain", "scenes_2d-0001"]) == 2
    assert "cannot be read" in capsys.readouterr().err
    path.unlink()
    assert main(["explain", "scenes_2d-0001"]) == 2
    assert "recompute" in capsys.readouterr().err
