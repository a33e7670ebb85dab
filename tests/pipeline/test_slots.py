"""What a killed run holds: its pool's slot and its place in the queue. The doctor frees both."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.events import EngineEventData
from tiny_project import make_project

from verdict_assets.cli.main import main
from verdict_assets.config.paths import Project
from verdict_assets.orchestration.slots import _is_alive, _Process, lost_runs

ROOT = Path(__file__).parents[2]
SLOW = """
import sys, time
from pathlib import Path
import dagster as dg
from rollout_world import ToyEngine
from tiny_project import ToyEngines, overrides
from verdict_assets.config.paths import Project
from verdict_assets.orchestration.build import Overrides, build_defs

class SlowEngines(ToyEngines):
    def open(self, config, setting, store):
        print("asking", flush=True)
        return ToyEngine(seconds=float(sys.argv[1]))

project = Project(Path.cwd())
usual = overrides(project)
job = build_defs(Overrides(usual.project, SlowEngines())).resolve_job_def("everything")
with dg.DagsterInstance.from_config(str(project.root)) as instance:
    quiet = {"loggers": {"console": {"config": {"log_level": "ERROR"}}}}
    config = {"ops": {"ask_models": {"config": {"engine": "toy"}}}, **quiet}
    assert job.execute_in_process(run_config=config, instance=instance).success
"""


@dg.job
def a_job() -> None:
    pass


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = make_project(tmp_path / "project", questions=1)
    shutil.copy(ROOT / "dagster.yaml", made.root / "dagster.yaml")
    return made


def start(project: Project, seconds: float) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "tests" / "support"),
        "DAGSTER_HOME": str(project.root),
    }
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, str(seconds)],
        cwd=project.root, env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def killed(project: Project) -> None:
    process = start(project, seconds=60)
    assert process.stdout is not None
    assert process.stdout.readline() == "asking\n"
    assert lost_runs(project.root, free=True) == []  # it holds its slot and lives
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def test_what_a_killed_rollout_holds_is_freed(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    killed(project)
    [lost] = lost_runs(project.root, free=False)
    assert lost.pools == ("gpu",)
    monkeypatch.setenv("VERDICT_ROOT", str(project.root))
    assert main(["doctor"]) == 0
    assert lost.run_id in capsys.readouterr().out
    with contextlib.chdir(project.root), dg.DagsterInstance.from_config(str(project.root)) as instance:
        run = instance.get_run_by_id(lost.run_id)
        assert run is not None and run.status is dg.DagsterRunStatus.FAILURE
    assert lost_runs(project.root, free=False) == []
    with start(project, seconds=0) as again:
        deadline = time.monotonic() + 240
        while again.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
        assert again.poll() == 0


def test_without_a_history_there_is_nothing_to_free(tmp_path: Path) -> None:
    assert lost_runs(tmp_path, free=True) == []


def test_a_killed_run_without_a_slot_is_ended_too(project: Project) -> None:
    """It would keep one of the queue's places."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    with contextlib.chdir(project.root), dg.DagsterInstance.from_config(str(project.root)) as instance:
        runs = {
            process: instance.create_run_for_job(a_job, status=dg.DagsterRunStatus.STARTED).run_id
            for process in (gone.pid, os.getpid())
        }
        for process, run_id in runs.items():
            run = instance.get_run_by_id(run_id)
            assert run is not None
            data = EngineEventData(metadata={"pid": dg.MetadataValue.text(str(process))})
            instance.report_engine_event("executing", run, data)
    assert [(lost.run_id, lost.pools) for lost in lost_runs(project.root, free=True)] == [
        (runs[gone.pid], ())
    ]
    assert lost_runs(project.root, free=False) == []


def test_a_younger_process_of_the_same_number_is_another_one() -> None:
    assert _is_alive(_Process(os.getpid(), time.time()))
    assert not _is_alive(_Process(os.getpid(), time.time() - 10**6))
