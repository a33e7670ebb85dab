"""What DVC has recorded of data, read without DVC: the stages' outputs in dvc.lock, and pointers (`*.dvc`).

Belongs here: these two forms of a record. Does not belong here: fetching data (the command `dvc pull`), and
what follows when they are not what the record says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from verdict_assets.errors import UserError

LOCK = "dvc.lock"
POINTER = ".dvc"
"""Suffix of a file that stands in git for data beside it that do not."""

_hashes: dict[tuple[str, int, int, int], str] = {}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One file or folder as DVC knows it. path: below the project's root. size: bytes, of all its files."""

    path: Path
    md5: str
    size: int
    files: int


def locked(root: Path) -> list[Recorded]:
    """The outputs of all stages. None where there is no dvc.lock. UserError when it cannot be read."""
    file = root / LOCK
    if not file.is_file():
        return []
    try:
        outs = [out for stage in _content(file)["stages"].values() for out in stage.get("outs", ())]
    except (KeyError, TypeError, AttributeError) as error:
        raise _unreadable(file, repr(error)) from error
    return _recorded(file, outs)


def pointed(folder: Path) -> list[Recorded]:
    """What the pointers in a folder stand for, by name. UserError for one that cannot be read."""
    files = sorted(folder.glob(f"*{POINTER}")) if folder.is_dir() else []
    return [found for file in files for found in _recorded(file, _content(file).get("outs", ()))]


def md5_of(path: Path) -> str:
    """DVC's md5 of a file, or of a folder: that of the sorted list of its files with theirs, marked `.dir`.

    A file is hashed once a process while its size and time stay. OSError where there is nothing.
    """
    if not path.is_dir():
        return _md5(path)
    listed = [
        {"md5": _md5(file), "relpath": file.relative_to(path).as_posix()}
        for file in path.rglob("*")
        if file.is_file()
    ]
    listed.sort(key=lambda entry: entry["relpath"])
    return hashlib.md5(json.dumps(listed, sort_keys=True).encode()).hexdigest() + ".dir"


def _md5(file: Path) -> str:
    status = file.stat()
    identity = (str(file.absolute()), status.st_ino, status.st_size, status.st_mtime_ns)
    if identity not in _hashes:
        with file.open("rb") as stream:
            _hashes[identity] = hashlib.file_digest(stream, "md5").hexdigest()
    return _hashes[identity]


def _content(file: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(file.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _unreadable(file, error) from error
    if not isinstance(content, dict):
        raise _unreadable(file, "no mapping")
    return content


def _recorded(file: Path, outs: Iterable[Mapping[str, Any]]) -> list[Recorded]:
    try:
        return [
            Recorded(
                file.parent / str(out["path"]),
                str(out["md5"]),
                int(str(out["size"])),
                int(str(out.get("nfiles", 1))),
            )
            for out in outs
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _unreadable(file, repr(error)) from error


def _unreadable(file: Path, why: object) -> UserError:
    return UserError(
        f"DVC's record of data cannot be read ({why})",
        where=file,
        remedy=f"restore it: git checkout -- {file}",
    )
