"""`verdict rollout` as a user meets it, on a small project on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollout_world import BENCHMARK, ToyEngine, open_store
from tiny_project import QUESTIONS, STUDY, make_project

from verdict_assets.cli.main import main
from verdict_assets.config.paths import ROOT_VARIABLE, Project
from verdict_assets.rollout.expand import expand
from verdict_assets.rollout.partition import open_partition


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    found = make_project(tmp_path / "project")
    monkeypatch.setenv(ROOT_VARIABLE, str(found.root))
    return found


def answer(project: Project) -> None:
    partition = open_partition(project.root, STUDY, BENCHMARK)
    expand(partition, open_store(project.open_layer), ToyEngine(), run_id="toy")


def test_a_closed_study_is_replayed(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    answer(project)
    assert main(["rollout", "--study", STUDY]) == 0
    told = capsys.readouterr().out
    assert f"{STUDY} on {BENCHMARK}: {QUESTIONS} of {QUESTIONS} questions closed" in told
    assert "requests asked: 0" in told
    for table in ("candidates", "raw_scores", "answers"):
        assert f"{table}: " in told
    assert main(["rollout", "--study", STUDY, "--benchmark", BENCHMARK, "--limit", "2"]) == 0
    assert "2 of 2 questions closed" in capsys.readouterr().out


def test_a_plan_counts_what_is_open(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", STUDY, "--limit", "3"]) == 0
    assert "3 of 3 questions open; to be asked now: 3 steps, 0 scores" in capsys.readouterr().out
    answer(project)
    assert main(["plan", STUDY]) == 0
    assert capsys.readouterr().out == f"{STUDY} on {BENCHMARK}: 0 of {QUESTIONS} questions open\n"


def test_without_answers_the_request_is_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", "--study", STUDY]) == 2
    told = capsys.readouterr().err
    assert "where is object 0" in told and "the store is empty" in told


def test_another_layer_is_another_run(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(project)
    assert main(["rollout", "--study", STUDY, "--layer", str(tmp_path / "new")]) == 2
    assert "the store is empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--study", "mian"], "there is no study 'mian'"),
        (["--study", STUDY, "--benchmark", "blink"], "does not ask benchmark 'blink'"),
    ],
)
def test_a_name_that_does_not_exist_is_told(
    project: Project, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["rollout", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--limit", "--window", "--budget", "--batch-size"])
def test_a_number_must_be_positive(project: Project, capsys: pytest.CaptureFixture[str], option: str) -> None:
    with pytest.raises(SystemExit):
        main(["rollout", "--study", STUDY, option, "0"])
    assert "'0' is not a whole number of at least 1" in capsys.readouterr().err


def test_more_questions_than_there_are_is_told(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    study = project.studies / f"{STUDY}.yaml"
    study.write_text(study.read_text().replace(f"{BENCHMARK}: {QUESTIONS}", f"{BENCHMARK}: 999"))
    assert main(["rollout", "--study", STUDY]) == 2
    assert "999 questions are asked" in capsys.readouterr().err
