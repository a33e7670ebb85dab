"""What DVC recorded of versioned folders, read without DVC, and the same hash computed from the files.

Belongs here: dvc.lock and the hash that it uses. Does not belong here: what follows from a difference.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import yaml

from verdict_assets.errors import UserError

FILE = "dvc.lock"


def read(root: Path) -> dict[str, str]:
    """The recorded md5 of every output by its path from the root; nothing where there is no dvc.lock.

    Raises:
        UserError: the file is there and cannot be read.
    """
    path = root / FILE
    if not path.is_file():
        return {}
    try:
        stages = yaml.safe_load(path.read_text("utf-8"))["stages"]
        return {
            str(out["path"]): str(out["md5"]) for stage in stages.values() for out in stage.get("outs", ())
        }
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"dvc.lock cannot be read ({error})", where=path, remedy=f"restore it: git checkout -- {FILE}"
        ) from error


def md5_of(path: Path) -> str:
    """The md5 of a file, or DVC's of a folder: of the list of its files with theirs, marked `.dir`."""
    if not path.is_dir():
        return _md5(path) if path.is_file() else "nothing"
    files = [file for file in path.rglob("*") if file.is_file()]
    listed = sorted(
        ({"md5": _md5(file), "relpath": file.relative_to(path).as_posix()} for file in files),
        key=lambda entry: entry["relpath"],
    )
    return hashlib.md5(json.dumps(listed, sort_keys=True).encode()).hexdigest() + ".dir"


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()
