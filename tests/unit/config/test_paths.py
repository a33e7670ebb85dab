"""Where a project is found, and that every path lies below it."""

from pathlib import Path

import pytest

from verdict_assets.config.paths import Project, find_project
from verdict_assets.errors import UserError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("VERDICT_ROOT", raising=False)
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    (folder / "params.yaml").write_text("")
    return folder


def test_it_is_found_from_any_folder_below(root: Path) -> None:
    deep = root / "a" / "b"
    deep.mkdir(parents=True)
    assert find_project(deep) == find_project(root) == Project(root)


def test_the_variable_goes_before_the_folder(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERDICT_ROOT", str(root))
    assert find_project(tmp_path) == Project(root)


def test_a_variable_that_names_no_project_is_refused(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERDICT_ROOT", str(tmp_path))
    with pytest.raises(UserError, match="VERDICT_ROOT"):
        find_project(root)


def test_without_a_project_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERDICT_ROOT", raising=False)
    with pytest.raises(UserError, match="clone"):
        find_project(tmp_path)


def test_all_paths_lie_below_the_root(root: Path) -> None:
    project = Project(root)
    paths = [getattr(project, name) for name in dir(Project) if isinstance(getattr(Project, name), property)]
    paths += [project.table("t"), project.partition("t", "s", "b")]
    assert len(paths) > 10
    assert all(path.is_relative_to(root) for path in paths)
    assert len(set(paths)) == len(paths)
