"""What is remembered of a derived file: of what it was made, and which bytes it then had.

Belongs here: the record beside each derived file and the test whether it still holds. Does not: making the
file. A file that was edited, or whose record is gone, is simply made anew, since derived files may be
deleted at any time.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from verdict_assets.schemas.parquet import file_sha256

_SUFFIX = ".stamp.json"


@dataclass(frozen=True, slots=True)
class Stamp:
    """Of what a derived file was made (`fingerprint`), its rows, and the hashes of its rows and of its bytes.

    `facts` are what the maker knew of the rows and the rows do not say.
    """

    fingerprint: str
    rows: int
    rows_sha256: str
    file_sha256: str
    facts: Mapping[str, int] = field(default_factory=dict)


def stamp_path(path: Path) -> Path:
    """Where the record of a derived file lies."""
    return path.with_name(f".{path.name}{_SUFFIX}")


def write_stamp(
    path: Path, fingerprint: str, rows: int, rows_sha256: str, facts: Mapping[str, int] | None = None
) -> Stamp:
    """Record what the file at `path` is now."""
    stamp = Stamp(fingerprint, rows, rows_sha256, file_sha256(path), dict(facts or {}))
    record = stamp_path(path)
    partial = record.with_name(f"{record.name}.{os.getpid()}.tmp")
    partial.write_text(json.dumps(asdict(stamp), indent=1, sort_keys=True) + "\n")
    partial.replace(record)
    return stamp


def valid_stamp(path: Path) -> Stamp | None:
    """The record of the file at `path`, if there are both and the file's bytes are the recorded ones."""
    try:
        stamp = Stamp(**json.loads(stamp_path(path).read_text()))
        return stamp if file_sha256(path) == stamp.file_sha256 else None
    except (FileNotFoundError, ValueError, TypeError):
        return None
