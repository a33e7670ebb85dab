"""What is damaged in a layer, what could be repaired, and which answers are lost.

Each check looks at one kind of damage, repairs it where nothing can be lost by that, and reports. A damaged
shard is never deleted: it is moved to `damaged/`, because even a part of it may be worth something to
somebody.

Belongs here: damage of store layers. Does not belong here: what else the command `verdict doctor` looks at.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import duckdb

from verdict_assets.errors import UserError
from verdict_assets.inference.request import request_key
from verdict_assets.inference.store.claim import any_number, finish
from verdict_assets.inference.store.files import (
    DAMAGED,
    builder_is_alive,
    claim_name,
    claim_number,
    is_temporary,
    shards_in,
)
from verdict_assets.inference.store.freeze import interrupted, settle
from verdict_assets.inference.store.guard import RESTORE, frozen_faults, is_absent, shard_fault
from verdict_assets.inference.store.shard import Place, StoredGroup, VerifiedShard, read

ABANDONED_AFTER = 24 * 3600.0
"""Seconds after which a temporary file of another machine is taken for abandoned; a shard is written in
seconds."""
CLAIM_ABANDONED_AFTER = 60.0
"""Seconds after which a claim that did not get its final name is; a living writer needs microseconds."""
NAMED = 20
"""How many lost requests one report names."""


class Outcome(StrEnum):
    """What became of a damage."""

    REPAIRED = "repaired"
    """Put in order, and nothing is lost."""
    LOST = "lost"
    """Answers are gone, or stay unreadable until somebody restores them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One damage."""

    outcome: Outcome
    where: Path
    what: str


@dataclass(frozen=True, slots=True)
class _Patient:
    frozen: tuple[Path, ...]
    open_layer: Path
    repair: bool


def examine(frozen: Sequence[Path], open_layer: Path, repair: bool = True) -> list[Finding]:
    """Look at all layers; empty when they are sound. With `repair` off nothing on the disk is touched."""
    patient = _Patient(tuple(frozen), open_layer, repair)
    findings = [finding for folder in patient.frozen for finding in _frozen_layer(folder, repair)]
    if open_layer.is_dir():
        for check in (_temporary_files, _unfinished_claims, _missing_numbers, _damaged_shards):
            findings += check(patient)
    return findings


def _frozen_layer(folder: Path, repair: bool) -> list[Finding]:
    """What is wrong with a frozen layer.

    It comes back from where it came and is never mended; only an interrupted freeze is finished.
    """
    findings = []
    if interrupted(folder):
        if repair:
            settle(folder)
        findings.append(Finding(Outcome.REPAIRED, folder, "a freeze was interrupted; the layer is whole"))
    findings += _unfinished_layers(folder.parent, repair)
    if is_absent(folder):
        return findings
    remedy = RESTORE.format(folder)
    return findings + [Finding(Outcome.LOST, folder, f"{fault}; {remedy}") for fault in _faults(folder)]


def _unfinished_layers(parent: Path, repair: bool) -> list[Finding]:
    """What a killed freeze was building; the layer that it was to replace is untouched."""
    findings = []
    for path in sorted(parent.iterdir()) if parent.is_dir() else ():
        if not (path.is_dir() and is_temporary(path.name)) or builder_is_alive(path):
            continue
        if repair:
            shutil.rmtree(path)
        findings.append(Finding(Outcome.REPAIRED, path, "left by a killed freeze and removed"))
    return findings


def _faults(folder: Path) -> list[str]:
    try:
        return frozen_faults(folder, full=True)
    except UserError as error:
        return [error.what]


def _temporary_files(patient: _Patient) -> list[Finding]:
    """Shards under construction whose builder is dead.

    They were never committed, so nobody relied on them.
    """
    findings = []
    for path in _files(patient.open_layer):
        if not is_temporary(path.name) or (builder_is_alive(path) and _age(path) < ABANDONED_AFTER):
            continue
        committed = path.stat().st_nlink > 1
        if patient.repair:
            path.unlink()
        then = "its answers had been committed" if committed else "its answers will be asked again"
        findings.append(Finding(Outcome.REPAIRED, path, f"left by a killed writer and removed; {then}"))
    return findings


def _unfinished_claims(patient: _Patient) -> list[Finding]:
    """Complete shards whose writer was killed before it gave them the final name."""
    findings = []
    for path in _files(patient.open_layer):
        if claim_number(path.name) is None or _age(path) < CLAIM_ABANDONED_AFTER:
            continue
        if _rows(path) is None:
            findings.append(_set_aside(patient, path, "its writer was killed and it cannot be read"))
            continue
        name = finish(path).name if patient.repair else path.name
        findings.append(Finding(Outcome.REPAIRED, path, f"left by a killed writer and finished as {name}"))
    return findings


def _missing_numbers(patient: _Patient) -> list[Finding]:
    """Numbers without a shard. Numbers are claimed without gaps, so a gap means that a shard was deleted.

    Each gap is reported once: a marker in `damaged/` remembers it. A deleted last shard leaves no gap.
    """
    aside = patient.open_layer / DAMAGED
    taken = {number for path in _files(patient.open_layer) if (number := any_number(path.name)) is not None}
    known = {number for path in _files(aside) if (number := any_number(path.stem + ".parquet")) is not None}
    findings = []
    for number in sorted(set(range(1, max(taken, default=0))) - taken - known):
        if patient.repair:
            aside.mkdir(exist_ok=True)
            (aside / claim_name(number)).with_suffix(".missing").touch()
        what = f"shard number {number} was deleted; what it held is unknown and will be asked again if needed"
        findings.append(Finding(Outcome.LOST, patient.open_layer, what))
    return findings


def _damaged_shards(patient: _Patient) -> list[Finding]:
    return [
        _set_aside(patient, path, fault.partition(": ")[2])
        for path in shards_in(patient.open_layer)
        if (fault := shard_fault(path, full=True)) is not None
    ]


def _set_aside(patient: _Patient, path: Path, fault: str) -> Finding:
    lost = _lost(patient, path)
    if patient.repair:
        aside = path.parent / DAMAGED
        aside.mkdir(exist_ok=True)
        path.rename(aside / path.name)
    moved = "moved" if patient.repair else "to be moved"
    return Finding(Outcome.LOST, path, f"{fault}; {moved} to {DAMAGED}/; {lost}")


def _lost(patient: _Patient, path: Path) -> str:
    """Names what a damaged shard held and no sound one holds, as far as it can still be read."""
    rows = _rows(path)
    if rows is None:
        return "it cannot be read, so its answers are unknown; they will be asked again if needed"
    held = _held(patient)
    named = [
        f"{request_key(row.key, *place)} ({json.loads(row.setup)['model']}: {row.user.splitlines()[0][:60]})"
        for row in rows
        for place, _ in row.answers
        if (row.key, place) not in held
    ]
    if not named:
        return "all that it held is stored elsewhere too"
    if len(named) > NAMED:
        named = [*named[:NAMED], f"and {len(named) - NAMED} more"]
    return "lost, and to be asked again if needed:\n    " + "\n    ".join(named)


def _held(patient: _Patient) -> set[tuple[str, Place]]:
    """What the sound files hold."""
    sound = [
        shard
        for folder in patient.frozen
        if not is_absent(folder) and not _faults(folder)
        for shard in shards_in(folder)
    ]
    sound += [shard for shard in shards_in(patient.open_layer) if shard_fault(shard) is None]
    rows = read([VerifiedShard(shard) for shard in sound])
    return {(row.key, place) for row in rows for place, _ in row.answers}


def _rows(path: Path) -> list[StoredGroup] | None:
    """The rows of a file that no guard has passed: evidence for a report, never data.

    None when unreadable.
    """
    try:
        return list(read([VerifiedShard(path)]))
    except (duckdb.Error, UserError, ValueError, KeyError, TypeError):
        return None


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime
