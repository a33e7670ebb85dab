"""A project whose history, daemon and web server are its own, for tests that need Dagster's processes.

The project's root is DAGSTER_HOME and holds the shipped dagster.yaml; what Dagster loads is the usual
definitions with the engine that makes answers up.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import dagster as dg

from verdict_assets.config.paths import Project

ROOT = Path(__file__).parents[2]
T = TypeVar("T")
LOCATION = "verdict"
DEFINITIONS = """
import sys
sys.path.insert(0, {support!r})
from pathlib import Path
from typing import TypeVar
from tiny_project import overrides
from verdict_assets.config.paths import Project
from verdict_assets.orchestration.build import Overrides, build_defs

usual = overrides(Project(Path({root!r})))
defs = build_defs(Overrides(usual.project, usual.engines, look_every=1))
"""


def furnish(project: Project) -> None:
    """Put dagster.yaml, the definitions and a workspace into the project's root."""
    shutil.copy(ROOT / "dagster.yaml", project.root / "dagster.yaml")
    support = str(Path(__file__).parent)
    (project.root / "live.py").write_text(DEFINITIONS.format(support=support, root=str(project.root)))
    (project.root / "workspace.yaml").write_text(
        f"load_from:\n  - python_file:\n      relative_path: live.py\n      location_name: {LOCATION}\n"
    )
    with history(project) as instance:
        instance.get_runs()  # makes the database, which two services that start at once would both do


def command(project: Project, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start one of Dagster's commands in the project, with its log in `<name>.log`."""
    environment = {
        **os.environ,
        "DAGSTER_HOME": str(project.root),
        "DAGSTER_DISABLE_TELEMETRY": "yes",
        "PYTHONWARNINGS": "ignore",
    }
    with (project.root / f"{name}.log").open("ab") as log:
        return subprocess.Popen(
            [str(Path(sys.executable).with_name(name)), *arguments, "-w", "workspace.yaml"],
            cwd=project.root, env=environment, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip


@contextlib.contextmanager
def running(project: Project, name: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """One of Dagster's services, until the end of the block; it ends the processes that it started."""
    process = command(project, name, *arguments)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def history(project: Project) -> Iterator[dg.DagsterInstance]:
    """The project's instance; paths in dagster.yaml are relative to the working directory."""
    with contextlib.chdir(project.root), dg.DagsterInstance.from_config(str(project.root)) as instance:
        yield instance


def wait_for(what: Callable[[], T], seconds: float = 300, log: Path | None = None) -> T:
    """The first true result of `what`; after so many seconds an error with the end of a log."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        told = "" if log is None else log.read_text(errors="replace")[-3000:]
        assert time.monotonic() < deadline, f"nothing came in {seconds} s\n{told}"
        time.sleep(0.3)
    return found
