"""What was frozen and then edited, deleted or added is refused before a number is computed from it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
import yaml
from tiny_project import Run

from verdict_assets.config.paths import Project
from verdict_assets.config.versioned import md5_of
from verdict_assets.inference.recorded_with import recorded_with
from verdict_assets.inference.store import Layer
from verdict_assets.inference.store.freeze import freeze


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, finished: Project, run: Run) -> Project:
    """A project as a clone has it: a frozen layer, no open one, and dvc.lock. Not to be changed."""
    project = Project(shutil.copytree(finished.root, tmp_path_factory.mktemp("recorded") / "project"))
    freeze(project.recorded_store, [Layer(project.open_layer, frozen=False)], recorded_with(project))
    shutil.rmtree(project.open_layer)
    outs = [
        {
            "path": folder.relative_to(project.root).as_posix(),
            "md5": md5_of(folder),
            "size": 1,
            "nfiles": 1,
        }
        for folder in (project.recorded_store, project.benchmarks, project.weights)
    ]
    lock = {"schema": "2.0", "stages": {"all": {"outs": outs}}}
    (project.root / "dvc.lock").write_text(yaml.safe_dump(lock))
    run(project, "recompute")
    return project


@pytest.fixture
def cloned(recorded: Project, tmp_path: Path) -> Project:
    return Project(shutil.copytree(recorded.root, tmp_path / "project"))


def tables(project: Project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in project.tables.rglob("*.parquet")} | {
        path.name: path.read_bytes() for path in project.reports.iterdir() if path.is_file()
    }


def refusal(project: Project, run: Run) -> str:
    """What `recompute` says when it fails; no number may have been touched."""
    before = tables(project)
    result = run(project, "recompute", fails=True)
    assert tables(project) == before
    return "\n".join(
        str(event.step_failure_data.user_failure_data.description)
        for event in result.all_node_events
        if event.is_step_failure and event.step_failure_data.user_failure_data
    )


def edit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def change_a_picture(path: Path) -> None:
    """Another picture under the hash of the old one, in a file that is a sound one otherwise."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE questions AS FROM '{path}'")
        connection.execute("UPDATE questions SET images = ['x'] WHERE position = 0")
        connection.execute(f"COPY questions TO '{path}' (FORMAT parquet)")


def change_an_answer(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE questions AS FROM '{path}'")
        connection.execute("UPDATE questions SET gold = CASE gold WHEN 'A' THEN 'B' ELSE 'A' END")
        connection.execute(f"COPY questions TO '{path}' (FORMAT parquet)")


def add(path: Path) -> None:
    path.write_text("{}")


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


SHARD = "data/recorded/store/shard-000001-*.parquet"
QUESTIONS = "data/recorded/benchmarks/toy.parquet"


@pytest.mark.parametrize(
    ("tamper", "where", "told"),
    [
        (edit, SHARD, "was changed"),
        (remove, SHARD, "is missing"),
        (add, "data/recorded/store/shard-000002-0123456789abcdef.parquet", "was added"),
        (remove, "data/recorded/store/manifest.json", "no manifest"),
        (remove, "data/recorded/store", "not here"),
        (edit, "data/weights/toy/model.safetensors", "was changed"),
        (remove, "data/weights/toy/model.safetensors", "is missing"),
        (add, "data/weights/toy/adapter.json", "was added"),
        (remove, "data/weights", "is missing"),
        (change_a_picture, QUESTIONS, "was changed"),
        (change_an_answer, QUESTIONS, "was changed"),
        (remove, QUESTIONS, "is missing"),
    ],
)
def test_it_is_refused_by_name(
    cloned: Project, run: Run, tamper: Callable[[Path], None], where: str, told: str
) -> None:
    path = next(cloned.root.glob(where), cloned.root / where)
    tamper(path)
    said = refusal(cloned, run)
    assert path.name in said
    assert told in said
    assert "what to do" in said


@pytest.mark.parametrize("where", ["data/weights/toy/README.md", "data/weights/other/config.json"])
def test_what_no_answer_rests_on_may_come(cloned: Project, run: Run, where: str) -> None:
    (cloned.root / where).parent.mkdir(exist_ok=True)
    add(cloned.root / where)
    run(cloned, "recompute")


def test_a_change_is_no_error_while_answers_are_recorded(
    cloned: Project, run: Run, finished: Project
) -> None:
    edit(cloned.weights / "toy" / "model.safetensors")
    shutil.copytree(finished.open_layer, cloned.open_layer)
    run(cloned, "recompute")
