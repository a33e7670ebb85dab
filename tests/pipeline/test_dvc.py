"""A recorded layer that is not in git: pushed to a remote, asked for in a fresh clone, pulled, computed from.

Needs DVC in the environment that `make .venv-dvc/.installed` makes, and git; skipped where DVC is not.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from verdict_assets.config.paths import Project
from verdict_assets.config.versioned import pointed
from verdict_assets.errors import UserError
from verdict_assets.inference.recorded_with import recorded_with
from verdict_assets.inference.store import Layer
from verdict_assets.inference.store.freeze import freeze
from verdict_assets.orchestration.extraction import make_manifest
from verdict_assets.orchestration.recipe import make
from verdict_assets.orchestration.recipes import RECIPES
from verdict_assets.orchestration.setting import read_setting

DVC = Path(__file__).parents[2] / ".venv-dvc" / "bin" / "dvc"

pytestmark = pytest.mark.skipif(not DVC.is_file(), reason="DVC is not installed: make .venv-dvc/.installed")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command that is git's or DVC's own, without anything of this machine's configuration."""
    own = folder.parent / "settings"
    identity = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {
        **os.environ, **identity, "HOME": str(own), "DVC_NO_ANALYTICS": "1",
        "DVC_GLOBAL_CONFIG_DIR": str(own), "DVC_SYSTEM_CONFIG_DIR": str(own), "DVC_SITE_CACHE_DIR": str(own),
    }  # fmt: skip
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def done(folder: Path, *command: str) -> str:
    result = run(folder, *command)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def lock(project: Project) -> None:
    """A frozen stage as in this project, whose command must never run, with its output in git."""
    out = {project.weights.relative_to(project.root).as_posix(): {"cache": False}}
    stages = {"weights": {"cmd": "touch trained", "frozen": True, "outs": [out]}}
    (project.root / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    done(project.root, str(DVC), "commit", "--force", "weights")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, finished: Project) -> Project:
    """All answers in a layer that DVC has pushed to a remote, everything else in git."""
    home = tmp_path_factory.mktemp("dvc")
    (home / "settings").mkdir()
    project = Project(shutil.copytree(finished.root, home / "project"))
    freeze(project.layers / "lab", [Layer(project.open_layer, frozen=False)], recorded_with(project))
    shutil.rmtree(project.open_layer)
    (project.root / ".gitignore").write_text("data/store/\ndata/tables/\ndata/warehouse/\n")
    done(project.root, "git", "init", "--quiet")
    done(project.root, str(DVC), "init", "--quiet")
    done(project.root, str(DVC), "remote", "add", "--default", "shelf", str(home / "remote"))
    done(project.root, str(DVC), "add", "--quiet", "data/layers/lab")
    lock(project)
    done(project.root, str(DVC), "push")
    done(project.root, "git", "add", ".")
    done(project.root, "git", "commit", "--quiet", "--message", "recorded")
    return project


@pytest.fixture
def cloned(published: Project) -> Project:
    name = f"clone-{len(list(published.root.parent.iterdir()))}"
    done(published.root.parent, "git", "clone", "--quiet", str(published.root), name)
    return Project(published.root.parent / name)


def computed(project: Project) -> bytes:
    """The main comparison, made from the layers without Dagster and without a model."""
    setting = read_setting(project)
    make(RECIPES[0], setting)
    make_manifest(setting)
    for recipe in RECIPES[1:]:
        make(recipe, setting)
    return project.table("main_comparison").read_bytes()


def refused(project: Project) -> str:
    with pytest.raises(UserError) as told:
        computed(project)
    return str(told.value)


def test_a_fresh_clone_says_what_is_missing_and_pulls_it(published: Project, cloned: Project) -> None:
    assert not (cloned.layers / "lab").exists()
    said = refused(cloned)
    assert "data/layers/lab.dvc stands in git" in said
    command = "dvc pull data/layers/lab.dvc"
    assert command in said

    remote = published.root.parent / "remote"
    remote.rename(remote.with_name("gone"))
    assert run(cloned.root, str(DVC), *command.split()[1:]).returncode != 0
    assert refused(cloned) == said
    assert "If the remote cannot be reached" in said
    assert str(remote) in done(cloned.root, str(DVC), "remote", "list")

    remote.with_name("gone").rename(remote)
    done(cloned.root, str(DVC), *command.split()[1:])
    assert computed(cloned) == computed(published)


def test_reproducing_with_pull_runs_nothing(cloned: Project) -> None:
    done(cloned.root, str(DVC), "repro", "--pull", "--all-pipelines")
    assert (cloned.layers / "lab" / "manifest.json").is_file()
    assert not (cloned.root / "trained").exists()
    assert done(cloned.root, "git", "status", "--short") == ""


def test_the_pointer_is_read_as_dvc_wrote_it(published: Project) -> None:
    (recorded,) = pointed(published.layers)
    files = list((published.layers / "lab").iterdir())
    assert (recorded.path, recorded.files) == (published.layers / "lab", len(files))
    assert recorded.size == sum(file.stat().st_size for file in files)
