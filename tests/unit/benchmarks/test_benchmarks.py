"""Question files and the truth of steps: what is read, and what is said when it cannot be."""

from pathlib import Path

import duckdb
import pandas as pd
import pytest

from verdict_assets.benchmarks.images import image_source
from verdict_assets.benchmarks.load import load_questions
from verdict_assets.benchmarks.probe import load_probe
from verdict_assets.benchmarks.truth import build_step_labels, known_scenes
from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.scenes.build import write_benchmark
from verdict_assets.scenes.traces import make_trace
from verdict_assets.scenes.world import generator

COUNT = 6
BENCHMARK = "scenes_2d"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("project")
    write_benchmark(BENCHMARK, COUNT, Project(found).benchmarks)
    return found


def test_questions_come_in_order(root: Path) -> None:
    questions = load_questions(root, BENCHMARK)
    assert [question.question_id for question in questions] == [
        f"{BENCHMARK}-{at:04d}" for at in range(COUNT)
    ]
    assert load_questions(root, BENCHMARK, 2) == questions[:2]
    assert all(len(question.options) == 4 and question.gold in "ABCD" for question in questions)


def test_pictures_are_found_by_their_hash(root: Path) -> None:
    source = image_source(root, [BENCHMARK, BENCHMARK])
    for question in load_questions(root, BENCHMARK):
        assert source.bytes(question.image_sha256[0]).startswith(b"\x89PNG")


def test_a_benchmark_that_is_not_there_names_those_that_are(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="scenes_9d") as caught:
        load_questions(root, "scenes_9d")
    assert f"the project has: {BENCHMARK}" in str(caught.value)
    with pytest.raises(UserError, match="the project has: none"):
        load_questions(tmp_path, BENCHMARK)


@pytest.mark.parametrize("damage", ["not parquet", "another table"])
def test_a_damaged_file_says_how_it_is_mended(tmp_path: Path, damage: str) -> None:
    folder = Project(tmp_path).benchmarks
    folder.mkdir(parents=True)
    path = folder / f"{BENCHMARK}.parquet"
    if damage == "not parquet":
        path.write_bytes(b"no parquet at all")
    else:
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT 1 AS one) TO '{path}' (FORMAT parquet)")
    with pytest.raises(UserError, match="cannot be read") as caught:
        load_questions(tmp_path, BENCHMARK)
    assert "restore it" in str(caught.value) and str(path) in str(caught.value)


def test_only_scenes_have_known_truth(root: Path) -> None:
    assert known_scenes(root, "cv_bench") == {}
    assert len(known_scenes(root, BENCHMARK)) == COUNT
    questions = load_questions(root, BENCHMARK, 2)
    probed = load_probe(root, BENCHMARK, questions)
    assert [question.question_id for question, _ in probed] == [item.question_id for _, item in probed]
    assert {question.question_id for question, _ in probed} == {
        question.question_id for question in questions
    }


def candidates(*rows: tuple[str, int, int, str, str | None], benchmark: str = BENCHMARK) -> pd.DataFrame:
    """(node, depth, candidate, text, child) of the benchmark's first question."""
    columns = ["node", "depth", "candidate", "text", "child"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(study="study", benchmark=benchmark, question_id=f"{BENCHMARK}-0000")


def test_steps_are_labelled_after_the_steps_that_lead_to_them(root: Path) -> None:
    scene, question = known_scenes(root, BENCHMARK)[f"{BENCHMARK}-0000"]
    plan, fact, second, *_ = (line.text for line in make_trace(generator("tree"), scene, question, 0.0))
    tree = candidates(
        ("root", 0, 0, plan, "a"),
        ("a", 1, 0, fact, "b"),
        ("a", 1, 1, f" {fact} ", "b"),
        ("a", 1, 2, "what a fine day .", "c"),
        ("b", 2, 0, fact, None),
        ("b", 2, 1, second, None),
        ("b", 2, 2, "  ", None),
        ("c", 2, 0, fact, None),
    )
    found = build_step_labels(tree.sample(frac=1.0, random_state=1), root).set_index(["node", "candidate"])
    follows = dict(found["follows"].items())
    assert follows == {
        ("root", 0): True,
        ("a", 0): True,
        ("a", 1): True,
        ("a", 2): None,  # unreadable: no truth
        ("b", 0): False,  # said before
        ("b", 1): True,
        ("c", 0): True,  # nothing was stated by the unreadable step
    }
    assert not found.loc[("a", 2), "readable"]
    assert found.loc[("a", 2), "kind"] == "unreadable"
    assert found.drop(index=("a", 2))["true_of_scene"].all()


def test_a_benchmark_without_truth_gets_no_labels(root: Path) -> None:
    assert build_step_labels(candidates(("root", 0, 0, "a step .", None), benchmark="cv_bench"), root).empty
