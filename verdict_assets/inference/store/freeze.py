"""Making a frozen layer: many shards into few sorted ones, equal content into equal bytes.

The new layer is built in a folder beside the target, verified by reading it again, and then put in the
target's place. Belongs here: compaction and the check of a frozen layer. Does not belong here: which files
are recorded beside the answers (the command line names them), what the guard refuses (`guard.py`).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from verdict_assets.errors import UserError
from verdict_assets.inference.store.files import flush_to_disk, new_temporary, sha256_file, shard_name
from verdict_assets.inference.store.guard import Layer, frozen_faults, verified_shards
from verdict_assets.inference.store.manifest import Manifest, ShardEntry, read_manifest, write_manifest
from verdict_assets.inference.store.shard import (
    GROUP_COLUMNS,
    SCHEMA_VERSION,
    VerifiedShard,
    parquet_options,
    private_database,
    quoted,
    require_version,
)

GROUPS_PER_SHARD = 100_000
"""Keeps a shard of short replies at some megabytes: few files, and none that a git host refuses."""
PREVIOUS = ".previous"
"""Suffix of the old layer between the two renames that put the new one in its place."""

_COLUMNS = ", ".join(GROUP_COLUMNS)
_GROUP_ORDER = ", ".join(f"{column} ASC NULLS FIRST" for column in GROUP_COLUMNS[:-2])
"""Order of groups; the last two columns, provenance and run, are not part of what was asked."""
_ITEM_ORDER = "item.tail ASC NULLS FIRST, item.draw ASC NULLS FIRST"


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a freeze made."""

    manifest: Manifest
    changed: bool
    """False when the target had exactly these bytes already and was left alone."""
    divergent: int
    """Later answers that differ from the first; they stay in the sources alone."""


def freeze(target: Path, sources: Sequence[Layer], beside: Mapping[str, str]) -> Frozen:
    """Compact the target, if it exists, and the sources into the frozen layer `target`.

    The first answer wins: the target before the sources, the sources in their order, within one the lower
    shard number. `beside` is recorded in the manifest (sha256 by path). The sources are left as they are.

    Raises DamagedStore when any file is not what it should be, and UserError when there is nothing to freeze.
    """
    settle(target)
    layers = [Layer(target, frozen=True), *sources]
    shards = [shard for layer in layers for shard in verified_shards(layer, full=True)]
    if not shards:
        raise UserError(
            "there is nothing to freeze: no layer holds an answer",
            where=", ".join(str(layer.path) for layer in layers),
            remedy="record answers first (`verdict rollout`), or name the layer that has them",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    building = new_temporary(target.parent, ".layer")
    building.mkdir()
    try:
        entries, divergent = _compact(shards, building)
        manifest = Manifest(entries, dict(sorted(beside.items())))
        write_manifest(building, manifest)
        if target.is_dir() and read_manifest(target) == manifest:
            return Frozen(manifest, False, divergent)
        _swap(building, target)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return Frozen(manifest, True, divergent)


def check(folder: Path, beside: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Hash every file of a frozen layer in full; returns (faults, differences).

    A fault means that the layer is not what was frozen. A difference means that prompts, questions,
    parameters or weights beside it changed since: the answers stand, but requests made from the new files may
    miss them.
    """
    manifest = read_manifest(folder)
    differences = [
        f"{path}: {'is missing' if path not in beside else 'was changed'} since the answers were recorded"
        for path, sha256 in manifest.beside.items()
        if beside.get(path) != sha256
    ]
    return frozen_faults(folder, full=True), differences


def interrupted(target: Path) -> bool:
    """Whether a freeze was killed between its two renames, or before it removed the old layer."""
    return _previous(target).is_dir()


def settle(target: Path) -> None:
    """Undo a swap that was interrupted between its two renames: the old layer comes back whole."""
    if not interrupted(target):
        return
    previous = _previous(target)
    if target.exists():
        shutil.rmtree(previous)
    else:
        previous.rename(target)


def _compact(shards: Sequence[VerifiedShard], folder: Path) -> tuple[dict[str, ShardEntry], int]:
    """Write first answers to new shards in `folder` and read them back; also counts divergent answers."""
    entries: dict[str, ShardEntry] = {}
    with private_database() as database:
        divergent = _load(database, shards)
        groups: int = database.execute("SELECT count(*) FROM compact").fetchall()[0][0]
        for number, start in enumerate(range(0, groups, GROUPS_PER_SHARD), start=1):
            part = f"FROM compact WHERE position >= {start} AND position < {start + GROUPS_PER_SHARD}"
            unnamed = folder / ".part.parquet"
            database.execute(
                f"COPY (SELECT {SCHEMA_VERSION} AS schema_version, {_COLUMNS}, items {part} "
                f"ORDER BY position) TO {quoted(unnamed)} ({parquet_options()})"
            )
            counts = database.execute(f"SELECT count(*), sum(len(items))::BIGINT {part}").fetchall()
            rows, answers = counts[0]
            sha256 = sha256_file(unnamed)
            shard = unnamed.rename(folder / shard_name(number, sha256))
            flush_to_disk(shard)
            _verify(database, shard, part, rows)
            entries[shard.name] = ShardEntry(sha256, shard.stat().st_size, rows, answers)
    return entries, divergent


def _load(database: duckdb.DuckDBPyConnection, shards: Sequence[VerifiedShard]) -> int:
    """Make the table `compact`: one row per group, provenance and run, first answers only, ordered.

    Groups are numbered in their order first, so that texts are compared once a row and not once an answer.
    Returns how many later answers differ from the first.
    """
    files = {"files": [str(shard) for shard in shards]}
    for shard, version in database.execute(
        "SELECT DISTINCT filename, schema_version FROM read_parquet($files, filename = true) ORDER BY ALL",
        files,
    ).fetchall():
        require_version(version, shard)
    database.execute(
        f"CREATE TABLE stored AS SELECT list_position($files, filename) AS rank, "
        f"dense_rank() OVER (ORDER BY {_GROUP_ORDER}) AS place, {_COLUMNS}, items "
        "FROM read_parquet($files, filename = true)",
        files,
    )
    database.execute(
        "CREATE TABLE answers AS SELECT place, provenance, run_id, item, row_number() OVER same AS turn, "
        "first_value(item) OVER same AS first "
        "FROM (SELECT rank, place, provenance, run_id, unnest(items) AS item FROM stored) "
        "WINDOW same AS (PARTITION BY place, item.tail, item.draw ORDER BY rank)"
    )
    divergent: int = database.execute(
        "SELECT count(*) FROM answers WHERE turn > 1 AND "
        "(item.text, item.finish, item.state) IS DISTINCT FROM (first.text, first.finish, first.state)"
    ).fetchall()[0][0]
    database.execute(
        f"CREATE TABLE compact AS SELECT {_COLUMNS}, answers.items, "
        "row_number() OVER (ORDER BY place, provenance, run_id) - 1 AS position FROM "
        f"(SELECT place, provenance, run_id, list(item ORDER BY {_ITEM_ORDER}) AS items "
        "FROM answers WHERE turn = 1 GROUP BY ALL) AS answers "
        f"JOIN (SELECT DISTINCT ON (place) place, {', '.join(GROUP_COLUMNS[:-2])} FROM stored) USING (place)"
    )
    return divergent


def _verify(database: duckdb.DuckDBPyConnection, shard: Path, part: str, rows: int) -> None:
    """Read a written shard again: it must hold exactly the rows that were meant."""
    same: int = database.execute(
        f"SELECT count(*) FROM (SELECT {_COLUMNS}, items FROM read_parquet($shard) "
        f"INTERSECT SELECT {_COLUMNS}, items {part})",
        {"shard": str(shard)},
    ).fetchall()[0][0]
    if same != rows:
        raise UserError(
            f"the new layer does not read back as it was written: {rows - same} of {rows} groups differ",
            where=shard,
            remedy="check the disk (full, failing, network); the old layer was left as it was",
        )


def _swap(building: Path, target: Path) -> None:
    """Two renames; `settle` undoes the first one if nothing happens after it."""
    previous = _previous(target)
    if target.is_dir():
        target.rename(previous)
    building.rename(target)
    flush_to_disk(target.parent)
    if previous.is_dir():
        shutil.rmtree(previous)


def _previous(target: Path) -> Path:
    return target.parent / f".{target.name}{PREVIOUS}"
