"""What a shard contains, and how it is written and read.

A shard is one Parquet file with one row per group of requests (per provenance and run), and the group's
answers as a list. What is shared is stored once: there is no key column either, because a key is the hash of
what stands in the row and is computed when the row is read, so a shard cannot claim a wrong one.

Belongs here: columns, writing, reading. Does not belong here: which file may be read (`guard.py` alone makes
a VerifiedShard) and which of two answers wins (`store.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NewType

import duckdb

from verdict_assets.errors import UserError
from verdict_assets.inference.canonical import sha256_text
from verdict_assets.inference.request import Finish, Group, Provenance, Response, State, group_key

SCHEMA_VERSION = 1
VerifiedShard = NewType("VerifiedShard", Path)
"""Path of a shard whose bytes are the ones its name or manifest promises; made by `guard.py` alone."""

ROW_GROUP_SIZE = 20_480
"""Rows of a Parquet row group, fixed because it is part of the bytes."""
ITEM = (
    "STRUCT(tail VARCHAR, draw BIGINT, text VARCHAR, finish VARCHAR, state VARCHAR, prompt_tokens BIGINT, "
    "output_tokens BIGINT, cached_tokens BIGINT, logprob DOUBLE, error VARCHAR)"
)
GROUP_COLUMNS = ("setup", "images", "user_text", "cue", "assistant", "system", "provenance", "run_id")
"""Together they are unique in a shard, so ordering by them is a total order."""
_ROW = (
    "STRUCT(setup VARCHAR, images VARCHAR[], user_text VARCHAR, cue VARCHAR, assistant VARCHAR, "
    f"system VARCHAR, provenance VARCHAR, run_id VARCHAR, items {ITEM}[])"
)
_FINISHES = {finish.value: finish for finish in Finish}
_STATES = {state.value: state for state in State}
_FILES_PER_QUERY = 256
_databases: dict[int, duckdb.DuckDBPyConnection] = {}
_ROWS_PER_FETCH = 8_192

Place = tuple[str | None, int | None]
"""(tail, draw): a request within its group."""
_Item = dict[str, str | int | float | None]
_Row = dict[str, str | list[str] | list[_Item] | None]


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """One row of a shard."""

    shard: VerifiedShard
    setup: str
    """Canonical JSON of the setup."""
    images: tuple[str, ...]
    user: str
    cue: str | None
    assistant: str | None
    system: str | None
    provenance: str
    """Canonical JSON of the provenance."""
    run_id: str
    answers: list[tuple[Place, Response]]

    @property
    def key(self) -> str:
        """Key of the group, computed from what was stored."""
        return group_key(
            sha256_text(self.setup), self.images, self.user, self.cue, self.assistant, self.system
        )


def private_database() -> duckdb.DuckDBPyConnection:
    """A new in-memory database with one thread: the same bytes on every machine, whatever its cores."""
    return duckdb.connect(":memory:", config={"threads": 1, "preserve_insertion_order": True})


def connection() -> duckdb.DuckDBPyConnection:
    """A connection to this process's own in-memory database, which is empty and stays so.

    One database a process because starting one takes longer than writing a shard; never one across a fork.
    """
    process = os.getpid()
    if process not in _databases:
        _databases[process] = private_database()
    return _databases[process].cursor()


def parquet_options() -> str:
    """The options of COPY that are part of a shard's bytes."""
    return f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP_SIZE}"


def write(
    path: Path, groups: Sequence[tuple[Group, dict[Place, Response]]], provenance: Provenance, run_id: str
) -> None:
    """Write the answers of `groups` to a new file and make sure that they are all in it."""
    made = provenance.encoded()
    rows = [_row(group, answers, made, run_id) for group, answers in groups]
    with connection() as database:
        database.execute(
            f"COPY (SELECT {SCHEMA_VERSION} AS schema_version, * FROM "
            f"(SELECT unnest(CAST($rows AS {_ROW}[]), max_depth := 2)) "
            f"ORDER BY {', '.join(GROUP_COLUMNS)}) TO {quoted(path)} ({parquet_options()})",
            {"rows": rows},
        )
        written = database.execute(
            "SELECT coalesce(sum(len(items)), 0) FROM read_parquet($path)", {"path": str(path)}
        ).fetchall()[0][0]
    expected = sum(len(answers) for _, answers in groups)
    if written != expected:
        raise UserError(
            f"{expected} answers were to be stored, but the file holds {written}",
            where=path,
            remedy="check the disk (full, failing, network); nothing was added to the store",
        )


def read(shards: Sequence[VerifiedShard]) -> Iterator[StoredGroup]:
    """All rows of the shards, in the order of the shards and of their rows."""
    for start in range(0, len(shards), _FILES_PER_QUERY):
        yield from _read_some(shards[start : start + _FILES_PER_QUERY])


def require_version(version: int, shard: str) -> None:
    """Refuse a shard in another format than this program's."""
    if version != SCHEMA_VERSION:
        raise UserError(
            f"a shard has schema version {version}, and this program reads version {SCHEMA_VERSION}",
            where=shard,
            remedy="use the version of the program that wrote it, or a newer one",
        )


def _read_some(shards: Sequence[VerifiedShard]) -> Iterator[StoredGroup]:
    """Two flat queries in step, one over groups and one over answers.

    Flat rows come out of DuckDB several times faster than nested ones.
    """
    by_name = {str(shard): shard for shard in shards}
    source = "read_parquet($files, filename = true, file_row_number = true)"
    files = {"files": list(by_name)}
    with connection() as groups, connection() as items:
        groups.execute(
            f"SELECT filename, file_row_number, schema_version, len(items), {', '.join(GROUP_COLUMNS)} "
            f"FROM {source}",
            files,
        )
        items.execute(f"SELECT file_row_number, unnest(items, max_depth := 2) FROM {source}", files)
        answers = _rows(items)
        texts: dict[str, str] = {}
        for filename, row, version, count, setup, images, *rest in _rows(groups):
            require_version(version, filename)
            found = [_answer(next(answers), row, texts) for _ in range(count)]
            user, cue, assistant, system, provenance, run_id = rest
            place = (tuple(images), user, cue, assistant, system)
            yield StoredGroup(by_name[filename], setup, *place, provenance, run_id, found)


def _answer(row: tuple[Any, ...], expected_row: int, texts: dict[str, str]) -> tuple[Place, Response]:
    at, tail, draw, text, finish, state, prompt_tokens, output_tokens, cached_tokens, logprob, error = row
    assert at == expected_row, "the two queries over one file went out of step"
    response = Response(
        texts.setdefault(text, text),  # replies of judges repeat: one object for all equal texts
        _FINISHES[finish],
        _STATES[state],
        prompt_tokens,
        output_tokens,
        cached_tokens,
        logprob,
        error,
    )
    return (None if tail is None else texts.setdefault(tail, tail), draw), response


def _row(group: Group, answers: dict[Place, Response], provenance: str, run_id: str) -> _Row:
    ordered = sorted(answers.items(), key=lambda item: _order(item[0]))
    return {
        "setup": group.setup.encoded(),
        "images": list(group.images),
        "user_text": group.user,
        "cue": group.cue,
        "assistant": group.assistant,
        "system": group.system,
        "provenance": provenance,
        "run_id": run_id,
        "items": [
            {
                "tail": tail,
                "draw": draw,
                "text": response.text,
                "finish": response.finish.value,
                "state": response.state.value,
                "prompt_tokens": response.prompt_tokens,
                "output_tokens": response.output_tokens,
                "cached_tokens": response.cached_tokens,
                "logprob": response.logprob,
                "error": response.error,
            }
            for (tail, draw), response in ordered
        ],
    }


def _order(place: Place) -> tuple[bool, str, int]:
    """Absent first, then by value."""
    tail, draw = place
    return (tail is not None, tail or "", -1 if draw is None else draw)


def _rows(result: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    """Rows of whatever type the query gives: the one place where values enter untyped from DuckDB."""
    while block := result.fetchmany(_ROWS_PER_FETCH):
        yield from block


def quoted(path: Path) -> str:
    """A path as SQL text; COPY takes no parameter for its target."""
    return "'" + str(path).replace("'", "''") + "'"
