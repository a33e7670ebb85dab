"""Where, when and by which run the report was computed: `reports/lineage.json`, apart from every number.

Belongs here: facts that differ between two runs of the same bytes. Does not belong here: numbers, which
must not differ.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

FILE = "lineage.json"
_PACKAGES = ("dagster", "duckdb", "jinja2", "matplotlib", "numpy", "pandas")


@dataclass(frozen=True, slots=True)
class Lineage:
    """One computation of the report.

    run_id, job: as Dagster has them. computed_at: ISO time with zone. draft: a number rests on the open
    layer. tables: for each table the report was made of, its facts (rows, hash of the rows, fingerprint,
    run).
    """

    run_id: str
    job: str
    computed_at: str
    draft: bool
    tables: Mapping[str, Mapping[str, str | int]]


def write(lineage: Lineage, folder: Path) -> Path:
    """Write `lineage.json` with the machine's facts, but no host or user name; return its path."""
    path = folder / FILE
    text = json.dumps({**asdict(lineage), "machine": machine()}, indent=2, sort_keys=True)
    unfinished = folder / f".{FILE}.{os.getpid()}"
    unfinished.write_text(text + "\n", encoding="utf-8", newline="\n")
    unfinished.replace(path)
    return path


def machine() -> dict[str, str | int | dict[str, str]]:
    """What ran it: system, kind and count of processors, Python, packages that touch a number or a page."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
    }
