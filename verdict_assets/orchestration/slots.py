"""Runs whose process was killed: they would hold a pool's slot, or one of the queue's places, for ever.

Belongs here: finding runs whose process is gone, ending them and freeing what they held. Does not: Dagster's
own run monitoring, which sees only runs that it started itself, and only while its daemon runs.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
from dagster._core.events import EngineEventData
from dagster._core.storage.dagster_run import IN_PROGRESS_RUN_STATUSES

# Where dagster.yaml of a project puts its history; without it there is nothing to look at.
_HISTORY = Path(".dagster") / "storage"
# A process notes its number in a run's log within this many seconds of its own start, on clocks read apart.
_CLOCKS_APART = 2.0


@dataclass(frozen=True, slots=True)
class LostRun:
    """A run that is under way although its process is gone, or that still holds slots of `pools`."""

    run_id: str
    pools: tuple[str, ...]
    process: int


@dataclass(frozen=True, slots=True)
class _Process:
    """A process by its number and a time at which it ran, in seconds since 1970."""

    number: int
    ran_at: float


def lost_runs(root: Path, free: bool) -> list[LostRun]:
    """The lost runs in the history of a project; with `free`, each is ended and its slots are freed."""
    if not (root / _HISTORY).is_dir():
        return []
    # Paths in dagster.yaml are relative to the working directory.
    with contextlib.chdir(root), dg.DagsterInstance.from_config(str(root)) as instance:
        found = list(_lost(instance))
        for run in found if free else []:
            _free(instance, run)
        return found


def _lost(instance: dg.DagsterInstance) -> Iterator[LostRun]:
    holds: dict[str, set[str]] = {
        run.run_id: set() for run in instance.get_runs(dg.RunsFilter(statuses=IN_PROGRESS_RUN_STATUSES))
    }
    storage = instance.event_log_storage
    for pool in storage.get_concurrency_keys():
        for slot in storage.get_concurrency_info(pool).claimed_slots:
            holds.setdefault(slot.run_id, set()).add(pool)
    for run_id, pools in sorted(holds.items()):
        process = _process_of(instance, run_id)
        if process is not None and not _is_alive(process):
            yield LostRun(run_id, tuple(sorted(pools)), process.number)


def _process_of(instance: dg.DagsterInstance, run_id: str) -> _Process | None:
    """The process that last executed a run; None if the history does not say."""
    process = None
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.ENGINE_EVENT):
        data = entry.dagster_event.event_specific_data if entry.dagster_event else None
        if isinstance(data, EngineEventData) and "pid" in data.metadata:
            process = _Process(int(str(data.metadata["pid"].value)), entry.timestamp)
    return process


def _is_alive(process: _Process) -> bool:
    try:
        os.kill(process.number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is there and belongs to somebody else
        return True
    started = _started_at(process.number)
    # After a restart of the machine the number may belong to a younger process.
    return started is None or started <= process.ran_at + _CLOCKS_APART


def _started_at(number: int) -> float | None:
    """When a running process started, in seconds since 1970; None where the system does not say."""
    try:
        after_name = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        lines = Path("/proc/stat").read_text().splitlines()
    except OSError:
        return None
    booted = next((int(line.split()[1]) for line in lines if line.startswith("btime ")), None)
    # Field 22 of the line, the 20th after the name, counts ticks since the machine was booted.
    return None if booted is None else booted + int(after_name[19]) / os.sysconf("SC_CLK_TCK")


def _free(instance: dg.DagsterInstance, lost: LostRun) -> None:
    run = instance.get_run_by_id(lost.run_id)
    if run is not None and not run.is_finished:
        instance.report_run_failed(run, f"its process {lost.process} is gone; ended by `verdict doctor`")
    instance.event_log_storage.free_concurrency_slots_for_run(lost.run_id)
