"""What moved between two states of the report, and what moved it."""

from __future__ import annotations

import json
import subprocess

import pytest
import yaml
from audited_project import ACCURACY, recompute

from verdict_assets.cli.main import main
from verdict_assets.config.paths import Project

TAU = "parameters/consensus/tau"


def git(project: Project, *arguments: str) -> None:
    identity = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]
    subprocess.run(["git", "-C", str(project.root), *identity, *arguments], check=True, capture_output=True)


def commit(project: Project) -> None:
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "a state")


@pytest.fixture
def versioned(project: Project) -> Project:
    git(project, "init", "--quiet")
    commit(project)
    return project


def change(project: Project, section: str, name: str, value: object) -> None:
    params = yaml.safe_load(project.params.read_text())
    params[section][name] = value
    project.params.write_text(yaml.safe_dump(params))
    recompute(project, "run-2")


def diff(capsys, *arguments: str, moved: bool = True) -> dict:
    assert main(["diff", *arguments, "--json"]) == int(moved)
    return json.loads(capsys.readouterr().out)


def test_nothing_moves_by_itself(versioned, capsys) -> None:
    assert diff(capsys, "HEAD", moved=False) == {"changes": [], "files": [], "moves": []}


def test_a_parameter_moves_what_rests_on_it(versioned, capsys) -> None:
    change(versioned, "consensus", "tau", 0.4)
    found = diff(capsys, "HEAD")
    what = [one["what"] for one in found["changes"]]
    assert what[0] == "parameter consensus.tau: 0.6 -> 0.4"
    moves = {move["number"]: move for move in found["moves"]}
    assert moves[TAU]["by"] == pytest.approx(-0.2)
    assert moves[TAU]["causes"] == [0]
    assert all(0 in move["causes"] for move in moves.values())
    assert any(number.startswith("main_comparison/tiny.toy.verdict.") for number in moves)


def test_between_two_revisions_with_values_and_causes_as_text(versioned, capsys) -> None:
    change(versioned, "statistics", "confidence", 0.9)
    commit(versioned)
    assert main(["diff", "HEAD~1", "HEAD"]) == 1
    shown = capsys.readouterr().out
    assert "[1] parameter statistics.confidence: 0.95 -> 0.9" in shown
    (line,) = [line for line in shown.splitlines() if line.startswith(f"{ACCURACY}:")]
    assert line.startswith(f"{ACCURACY}: lower 0.") and line.endswith("[1]")
    assert "upper" in line


def test_an_older_record_leaves_it_to_git(versioned, capsys) -> None:
    (versioned.reports / "lineage.json").write_text('{"run_id": "of an older form"}')
    commit(versioned)
    change(versioned, "consensus", "tau", 0.4)
    found = diff(capsys, "HEAD")
    assert (found["changes"], found["files"]) == ([], ["params.yaml"])
    assert TAU in {move["number"] for move in found["moves"]}


@pytest.mark.parametrize("revision", ["nowhere", "HEAD~7"])
def test_an_unknown_revision_is_told(versioned, capsys, revision: str) -> None:
    assert main(["diff", revision]) == 2
    assert "git log" in capsys.readouterr().err


def test_a_revision_without_a_report_is_told(versioned, capsys) -> None:
    git(versioned, "rm", "--quiet", "reports/numbers.csv")
    commit(versioned)
    assert main(["diff", "HEAD~1", "HEAD"]) == 2
    assert "no report at the revision 'HEAD'" in capsys.readouterr().err
