"""Where, when and by which run the report was computed: `reports/lineage.json`, apart from every number.

Belongs here: facts that differ between two runs that give the same bytes. Does not belong here: numbers,
which must not differ.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

FILE = "lineage.json"
_PACKAGES = ("dagster", "duckdb", "jinja2", "matplotlib", "numpy", "pandas")


@dataclass(frozen=True, slots=True)
class Lineage:
    """One computation of the report.

    run_id, job: as Dagster has them. computed_at: ISO time with zone. draft: a number rests on the open
    layer. tables: for each table that the report was made of, its facts (rows, hash of the rows,
    fingerprint).
    """

    run_id: str
    job: str
    computed_at: str
    draft: bool
    tables: Mapping[str, Mapping[str, str | int]]


def record(lineage: Lineage, folder: Path, files: Iterable[str]) -> bool:
    """Write `lineage.json` beside the report's `files`; return whether it was written.

    A record that already names these bytes is kept: the run that computed them first is the one that did.
    The machine's facts are added, but no host or user name.
    """
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sorted(files)}
    path = folder / FILE
    if _files_of(path) == hashes:
        return False
    facts = {**asdict(lineage), "files": hashes, "machine": machine()}
    unfinished = folder / f".{FILE}.{os.getpid()}"
    unfinished.write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    unfinished.replace(path)
    return True


def machine() -> dict[str, str | int | dict[str, str]]:
    """What ran it: system, kind and count of processors, Python, packages that touch a number or a page."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
    }


def _files_of(path: Path) -> object:
    """The hashes that a record names; None where there is no record that can be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return found.get("files") if isinstance(found, dict) else None
