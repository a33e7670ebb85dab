"""One audited project for all tests of a session, and copies of it for tests that tamper with it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from audited_project import make_audited_project

from verdict_assets.cli.main import main
from verdict_assets.config.paths import ROOT_VARIABLE, Project

Audit = Callable[..., dict[str, object]]
"""audit(*arguments, sound=True): the JSON of `verdict audit`, after its exit status was checked."""


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Not to be changed: `project` is a copy for that."""
    return make_audited_project(tmp_path_factory.mktemp("audited") / "project")


@pytest.fixture
def project(untouched: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    copy = Project(shutil.copytree(untouched.root, tmp_path / "project"))
    monkeypatch.setenv(ROOT_VARIABLE, str(copy.root))
    return copy


@pytest.fixture
def audit(capsys: pytest.CaptureFixture[str]) -> Audit:
    def run(*arguments: str, sound: bool = True) -> dict[str, object]:
        assert main(["audit", *arguments, "--json"]) == (0 if sound else 1)
        return json.loads(capsys.readouterr().out)

    return run
