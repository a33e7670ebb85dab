"""Names of the files of a layer, and the few file operations that must survive a crash.

Belongs here: how shards, claims and temporary files are called, hashing, flushing to disk. Does not belong
here: what a shard contains (`shard.py`) and whether it may be read (`guard.py`).
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
from pathlib import Path

MANIFEST = "manifest.json"
"""In a frozen layer: the list of its files with their hashes."""
DAMAGED = "damaged"
"""Folder inside an open layer to which `verdict doctor` moves what it cannot trust."""
HASH_IN_NAME = 16
"""Hex digits of the sha256 that a shard's name carries."""

_SHARD = re.compile(r"shard-(\d{6,})-([0-9a-f]{16})\.parquet")
_CLAIM = re.compile(r"shard-(\d{6,})\.parquet")
_TEMPORARY = re.compile(r"\.tmp-(?P<host>[A-Za-z0-9_.]+)-(?P<pid>\d+)-[0-9a-f]+\.(?:parquet|layer)")


def shard_name(number: int, sha256: str) -> str:
    """Name of a finished shard: its number, which decides who was first, and its hash."""
    return f"shard-{number:06d}-{sha256[:HASH_IN_NAME]}.parquet"


def claim_name(number: int) -> str:
    """Name under which a number is claimed, for the moment between the claim and the final name."""
    return f"shard-{number:06d}.parquet"


def shard_number(name: str) -> int | None:
    """The number of a finished shard; None for every other name."""
    match = _SHARD.fullmatch(name)
    return int(match[1]) if match else None


def hash_in_name(name: str) -> str:
    """The hash prefix that a finished shard's name carries; ValueError for every other name."""
    match = _SHARD.fullmatch(name)
    if match is None:
        raise ValueError(f"{name} is not the name of a shard")
    return match[2]


def claim_number(name: str) -> int | None:
    """The number of a claim whose writer has not given it the final name; None for every other name."""
    match = _CLAIM.fullmatch(name)
    return int(match[1]) if match else None


def shards_in(folder: Path) -> list[Path]:
    """The finished shards of a layer, in the order in which they win."""
    found = [(number, path) for path in folder.iterdir() if (number := shard_number(path.name)) is not None]
    return [path for _, path in sorted(found)]


def new_temporary(folder: Path, suffix: str = ".parquet") -> Path:
    """A fresh name for a shard (.parquet) or a frozen layer (.layer) under construction.

    It tells who builds it, so that a dead builder can be known.
    """
    return folder / f".tmp-{_host()}-{os.getpid()}-{secrets.token_hex(8)}{suffix}"


def is_temporary(name: str) -> bool:
    """Whether this is under construction, or what a killed writer left of it."""
    return _TEMPORARY.fullmatch(name) is not None


def builder_is_alive(temporary: Path) -> bool:
    """Whether the process that builds this file may still run; one on another machine counts as alive."""
    match = _TEMPORARY.fullmatch(temporary.name)
    if match is None:
        raise ValueError(f"{temporary.name} is not the name of a temporary file")
    if match["host"] != _host():
        return True
    try:
        os.kill(int(match["pid"]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def sha256_file(path: Path) -> str:
    """Hex sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def flush_to_disk(path: Path) -> None:
    """Make a file, or the entries of a folder, survive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9_.]", "_", socket.gethostname()) or "host"
