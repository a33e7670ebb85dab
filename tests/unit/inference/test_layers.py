"""A layer that git only points to: read if it is here, asked for if it is not, refused if it is another."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from asking import answer, step, stored

from verdict_assets.cli import doctor
from verdict_assets.config.paths import Project
from verdict_assets.config.versioned import locked, md5_of
from verdict_assets.errors import UserError
from verdict_assets.inference.layers import frozen_layers, project_layers
from verdict_assets.inference.store import DamagedStore, Layer, Store
from verdict_assets.inference.store.doctor import Outcome
from verdict_assets.inference.store.freeze import freeze

ROOT = Path(__file__).parents[3]


def frozen(project: Project, folder: Path, *questions: int) -> None:
    stored(project.open_layer, *[(step(q), answer(f"{folder.name} {q}")) for q in questions])
    freeze(folder, [Layer(project.open_layer, frozen=False)], {})
    shutil.rmtree(project.open_layer)


def point_to(folder: Path) -> None:
    """What `dvc add` leaves beside a folder."""
    size, files = sum(file.stat().st_size for file in folder.iterdir()), len(list(folder.iterdir()))
    out = f"- md5: {md5_of(folder)}\n  size: {size}\n  nfiles: {files}\n  hash: md5\n  path: {folder.name}\n"
    folder.with_name(f"{folder.name}.dvc").write_text(f"outs:\n{out}")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A recorded run, and a layer `lab` that git points to."""
    project = Project(tmp_path)
    frozen(project, project.recorded_store, 0, 1)
    frozen(project, project.layers / "lab", 1, 2)
    point_to(project.layers / "lab")
    return project


def test_layers_are_read_in_order(project: Project) -> None:
    assert frozen_layers(project) == [project.recorded_store, project.layers / "lab"]
    assert [layer.frozen for layer in project_layers(project)] == [True, True, False]
    store = Store.open(frozen_layers(project))
    assert [store.get(step(q)) for q in range(3)] == [answer("store 0"), answer("store 1"), answer("lab 2")]


def test_a_project_without_further_layers(tmp_path: Path) -> None:
    assert frozen_layers(Project(tmp_path)) == [Project(tmp_path).recorded_store]


def test_a_missing_layer_is_named_with_the_way_to_get_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(project.layers / "lab")
    with pytest.raises(
        UserError, match=r"is not here: 2 files, 0\.0 MB, for which data/layers/lab\.dvc"
    ) as told:
        project_layers(project)
    assert "dvc pull data/layers/lab.dvc" in str(told.value)
    assert "remote cannot be reached" in str(told.value)
    monkeypatch.setattr(doctor, "_pools", lambda *_: [])
    findings = [finding for check in doctor.CHECKS[:2] for finding in check(project, False)]
    assert [(finding.outcome, finding.where.name) for finding in findings] == [(Outcome.LOST, "lab")]


def test_another_layer_in_its_place_is_refused(project: Project) -> None:
    """Sound in itself, so that only the pointer can tell."""
    project_layers(project)
    shutil.rmtree(project.layers / "lab")
    frozen(project, project.layers / "lab", 1, 2, 3)
    with pytest.raises(DamagedStore, match=r"dvc checkout data/layers/lab\.dvc"):
        project_layers(project)


def test_a_layer_without_a_pointer_is_refused(project: Project) -> None:
    frozen(project, project.layers / "mine", 5)
    with pytest.raises(DamagedStore, match="dvc add data/layers/mine"):
        project_layers(project)


@pytest.mark.parametrize("content", ["outs: 3", "outs:\n- path: lab", ":", "- 1", ""])
def test_an_unreadable_pointer_is_refused(project: Project, content: str) -> None:
    (project.layers / "lab.dvc").write_text(content)
    with pytest.raises(UserError, match=r"git checkout -- .*lab\.dvc|git does not know"):
        project_layers(project)


def test_a_folder_has_the_hash_that_dvc_gave_it() -> None:
    """`make dvc-status` says the same with DVC itself."""
    outs = locked(ROOT)
    versioned = {"data/weights", "data/recorded/benchmarks", "data/recorded/store"}
    assert {out.path.relative_to(ROOT).as_posix() for out in outs} == versioned
    assert [md5_of(out.path) for out in outs] == [out.md5 for out in outs]
