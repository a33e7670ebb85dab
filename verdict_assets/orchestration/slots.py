"""Slots of Dagster's pools that a killed run left behind, which would make every later rollout wait for ever.

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

# Where dagster.yaml of a project puts its history; without it there is nothing to look at.
_HISTORY = Path(".dagster") / "storage"


@dataclass(frozen=True, slots=True)
class StuckRun:
    """A run that holds a slot of a pool although its process is gone."""

    run_id: str
    pool: str
    process: int


def stuck_runs(root: Path, free: bool) -> list[StuckRun]:
    """The stuck runs in the history of a project; with `free`, each is ended and its slot freed."""
    if not (root / _HISTORY).is_dir():
        return []
    # Paths in dagster.yaml are relative to the working directory.
    with contextlib.chdir(root), dg.DagsterInstance.from_config(str(root)) as instance:
        found = list(_stuck(instance))
        for run in found if free else []:
            _free(instance, run)
        return found


def _stuck(instance: dg.DagsterInstance) -> Iterator[StuckRun]:
    storage = instance.event_log_storage
    for pool in sorted(storage.get_concurrency_keys()):
        for run_id in sorted({slot.run_id for slot in storage.get_concurrency_info(pool).claimed_slots}):
            process = _process_of(instance, run_id)
            if process is not None and not _is_alive(process):
                yield StuckRun(run_id, pool, process)


def _process_of(instance: dg.DagsterInstance, run_id: str) -> int | None:
    """The process that last executed steps of a run; None if the history does not say."""
    process = None
    for entry in instance.all_logs(run_id):
        data = entry.dagster_event.event_specific_data if entry.dagster_event else None
        if isinstance(data, EngineEventData) and "pid" in data.metadata:
            process = int(str(data.metadata["pid"].value))
    return process


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is there and belongs to somebody else
        return True
    return True


def _free(instance: dg.DagsterInstance, stuck: StuckRun) -> None:
    run = instance.get_run_by_id(stuck.run_id)
    if run is not None and not run.is_finished:
        instance.report_run_failed(run, f"its process {stuck.process} is gone; ended by `verdict doctor`")
    instance.event_log_storage.free_concurrency_slots_for_run(stuck.run_id)
