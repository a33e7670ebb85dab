"""The judge probe through Dagster and on the command line: asked with the rollout, then read again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from probe_world import SCENES, SCENES_QUESTIONS, make_scenes_project
from rollout_world import ToyEngine, open_store
from tiny_project import STUDY, TOY, Run

from verdict_assets.cli.main import main
from verdict_assets.config.paths import ROOT_VARIABLE, Project
from verdict_assets.rollout.expand import Options, expand
from verdict_assets.rollout.partition import open_partition
from verdict_assets.rollout.probe import ask_probe, open_probe
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import read_table

NOT_PROBED = "not probed"


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory, run: Run) -> Project:
    project = make_scenes_project(tmp_path_factory.mktemp("scenes") / "project")
    run(project, "everything", TOY)
    return project


def probe_rows(project: Project) -> int:
    return len(read_table(TABLES["judge_probe"], project.partition("judge_probe", STUDY, SCENES)))


def measured(project: Project) -> dict[str, float]:
    rows = read_table(TABLES["world_diagnostics"], project.table("world_diagnostics"))
    return {
        str(name): float(value)
        for name, value in zip(rows["metric"], rows["value"], strict=True)
        if str(name).startswith("probe_")
    }


def test_everything_probes_the_judges_and_reports_it(scenes: Project) -> None:
    assert probe_rows(scenes) > 3 * 3 * SCENES_QUESTIONS
    found = measured(scenes)
    assert found["probe_questions"] == 1.0
    assert 0.0 <= found["probe_auc_mean_held_out"] <= 1.0
    assert "probe_score_visual_trained" in found
    page = (scenes.reports / "index.html").read_text()
    assert "errors unlike any in training" in page
    assert NOT_PROBED not in page


def test_the_table_is_read_from_the_store_again(scenes: Project, run: Run, tmp_path: Path) -> None:
    project = Project(shutil.copytree(scenes.root, tmp_path / "project"))
    path = project.partition("judge_probe", STUDY, SCENES)
    before = path.read_bytes()
    shutil.rmtree(project.tables)
    run(project, "recompute")
    assert path.read_bytes() == before


def test_without_its_replies_nothing_is_guessed(run: Run, tmp_path: Path) -> None:
    project = make_scenes_project(tmp_path / "project")
    partition, store = open_partition(project.root, STUDY, SCENES), open_store(project.open_layer)
    expand(partition, store, ToyEngine(), run_id="run")
    ask_probe(
        open_probe(project.root, partition), store, ToyEngine(), run_id="run", options=Options(budget=30)
    )
    run(project, "recompute")
    assert probe_rows(project) == 0
    assert measured(project) == {"probe_questions": 0.0}
    assert NOT_PROBED in (project.reports / "index.html").read_text()
    run(project, "everything", fails=True)  # replay does not know the rest
    run(project, "everything", TOY)
    assert probe_rows(project) > 0


def test_the_verb(
    scenes: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ROOT_VARIABLE, str(scenes.root))
    assert main(["probe", "--study", STUDY]) == 0
    told = capsys.readouterr().out
    assert (
        f"judge probe of {STUDY} on {SCENES}: {SCENES_QUESTIONS} of {SCENES_QUESTIONS} questions closed"
        in told
    )
    assert "requests asked: 0" in told
    assert f"judge_probe: {probe_rows(scenes)} rows" in told
    assert main(["probe", "--study", STUDY, "--layer", str(tmp_path / "new")]) == 2
    assert "the store is empty" in capsys.readouterr().err
