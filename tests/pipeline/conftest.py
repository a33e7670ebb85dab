"""One small project, closed by a run of `everything`, and copies of it for tests that change something."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from tiny_project import TOY, Run, make_project, overrides

from verdict_assets.config.paths import Project
from verdict_assets.orchestration.build import build_defs

QUIET = {"loggers": {"console": {"config": {"log_level": "ERROR"}}}}


@pytest.fixture(scope="session")
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


@pytest.fixture(scope="session")
def run(instance: dg.DagsterInstance) -> Run:
    """run(project, job, config=..., partition=..., fails=False)."""

    def execute(
        project: Project,
        job: str,
        config: dict[str, object] | None = None,
        fails: bool = False,
        **options: object,
    ) -> dg.ExecuteInProcessResult:
        definition = build_defs(overrides(project)).resolve_job_def(job)
        result = definition.execute_in_process(
            run_config={**QUIET, **(config or {})}, instance=instance, raise_on_error=False, **options
        )
        assert result.success is not fails
        return result

    return execute


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, run: Run) -> Project:
    """Not to be changed: `closed` is a copy for that."""
    project = make_project(tmp_path_factory.mktemp("finished") / "project")
    run(project, "everything", TOY)
    return project


@pytest.fixture
def closed(finished: Project, tmp_path: Path) -> Project:
    return Project(shutil.copytree(finished.root, tmp_path / "project"))
