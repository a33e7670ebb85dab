"""A number of an untouched project: its whole chain, computed again from the store alone."""

from __future__ import annotations

import csv
import hashlib
import subprocess
import sys

import pytest
from audited_project import ACCURACY, QUESTIONS
from tiny_project import STUDY

from verdict_assets.cli.main import main
from verdict_assets.inference.prompts import load_prompt
from verdict_assets.inference.seeds import seed_of_key
from verdict_assets.inference.weights import identify

CELL = ACCURACY.rpartition("/")[0]


def test_every_number_is_the_same_to_the_bit_without_a_table(project, audit) -> None:
    found = audit("--all", "--verify")
    with (project.reports / "numbers.csv").open() as file:
        assert found["numbers"] == [row["id"] for row in csv.DictReader(file)]
    assert (found["verified"], found["changes"], found["differences"]) == (True, [], [])
    assert not project.tables.exists()


def test_the_chain_ends_at_prompts_pictures_weights_and_the_run(project, audit) -> None:
    found = audit(ACCURACY, "--verify")
    assert found["number"]["value"] == repr(int(found["number"]["numerator"]) / QUESTIONS)
    recorded = [f"{name} {STUDY}/toy" for name in ("candidates", "raw_scores", "answers", "judge_probe")]
    assert [link["table"] for link in found["links"]] == [
        "main_comparison", "outcomes", "questions", *recorded,
    ]  # fmt: skip
    assert [link["rows"] for link in found["links"][:3]] == [1, QUESTIONS, QUESTIONS]
    assert all(len(link["rows_sha256"]) == 64 for link in found["links"])
    assert found["prompts"]["prompts/scenes/visual.txt"] == load_prompt("scenes/visual.txt").sha256
    assert found["weights"] == {"toy": identify(project.weights / "toy").revision}
    assert found["images"]["q000"] == [hashlib.sha256(b"0").hexdigest()]
    assert list(found["layers"]) == ["data/recorded/store"]
    assert found["run"]["run_id"] == "run-1"


def test_its_path_and_the_raw_replies_at_one_place(project, audit) -> None:
    found = audit(ACCURACY)
    (walk,) = found["walks"]
    assert (walk["strategy"], walk["outcomes"]["questions"]) == ("verdict", QUESTIONS)
    assert str(walk["outcomes"]["right"]) == found["number"]["numerator"]
    assert 0 < found["replies"]["judge replies"] <= 9 * walk["selections"]["judged"]
    steps = [call for call in found["calls"] if call["role"] == "step"]
    assert len(steps) == 3
    assert all(call["seed"] == seed_of_key(call["request"]) for call in steps)
    replies = [call for call in found["calls"] if call["role"] == "visual"]
    assert {call["about"] for call in replies} <= {call["reply"] for call in steps}
    assert all(call["seed"] is None for call in replies)
    shards = {name for files in found["layers"].values() for name in files}
    assert {call["shard"] for call in found["calls"]} <= shards
    assert found["questions"] == []


def test_each_question_is_listed_when_asked_for(project, audit) -> None:
    found = audit(ACCURACY, "--questions")
    rows = found["questions"]
    assert [row["question_id"] for row in rows] == [f"q{number:03d}" for number in range(QUESTIONS)]
    assert str(sum(row["correct"] for row in rows)) == found["number"]["numerator"]
    assert all(row["correct"] == (row["answer"] == row["gold"]) for row in rows)


def test_a_comparison_shows_both_paths(project, audit) -> None:
    walks = audit(f"{CELL}/difference_base")["walks"]
    assert [walk["strategy"] for walk in walks] == ["verdict", "base"]


@pytest.mark.parametrize(
    ("number", "first", "walks"),
    [
        ("world_diagnostics/tiny.toy/unanimous", "world_diagnostics", 16),
        ("score_manifest/tiny.toy.candidates/rows", "score_manifest", 0),
    ],
)
def test_numbers_of_other_tables(project, audit, number: str, first: str, walks: int) -> None:
    found = audit(number, "--verify")
    assert (found["links"][0]["table"], found["links"][0]["rows"]) == (first, 1)
    assert len(found["walks"]) == walks
    assert found["calls"]


@pytest.mark.parametrize("number", ["parameters/consensus/tau", f"studies/{STUDY}/max_tokens"])
def test_a_number_of_the_configuration_needs_no_table(project, audit, number: str) -> None:
    found = audit(number, "--verify")
    assert (found["verified"], found["links"]) == (True, [])


def test_the_text_names_every_link(project, capsys) -> None:
    assert main(["audit", ACCURACY, "--verify", "--questions"]) == 0
    shown = capsys.readouterr().out
    for part in ("definition", "outcomes", "raw replies", "prompts", "images", "weights", "seeds", "layers"):
        assert part in shown
    assert "q003\tverdict\tgreedy" in shown
    assert shown.endswith("computed again from the stored answers: the same to the bit\n")


def test_an_unknown_id_is_told_with_those_near(project, capsys) -> None:
    assert main(["audit", ACCURACY.replace("accuracy", "acuracy")]) == 2
    assert ACCURACY in capsys.readouterr().err


def test_no_report_and_no_record_are_told(project, capsys) -> None:
    (project.reports / "lineage.json").unlink()
    assert main(["audit", ACCURACY]) == 2
    assert "recompute" in capsys.readouterr().err
    (project.reports / "numbers.csv").unlink()
    assert main(["audit", ACCURACY]) == 2
    assert "recompute" in capsys.readouterr().err


def test_it_needs_no_dagster(project) -> None:
    code = (
        "import sys; from verdict_assets.cli.main import main; "
        f"assert main(['audit', {ACCURACY!r}, '--verify']) == 0; assert 'dagster' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
