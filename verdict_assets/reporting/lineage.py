"""Where the report comes from: `reports/lineage.json`, apart from every number.

Belongs here: the run that computed the report, and what each table was made of then: modules, configuration,
inputs. Does not belong here: numbers, which must not differ between runs; comparing two records (`audit`).
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path

from verdict_assets.config.fingerprint import Plain, fingerprint, leaves
from verdict_assets.errors import UserError

FILE = "lineage.json"
NUMBERS = "numbers"
"""Name of the ledger among the bases."""
_PACKAGES = ("dagster", "duckdb", "jinja2", "matplotlib", "numpy", "pandas")
_RUN = ("run_id", "job", "computed_at", "machine")
"""Facts of the run alone: a record that differs in nothing else is kept."""

Facts = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Basis:
    """What one table, one partition or the ledger is made of.

    code, reads: hashes over its modules and over the configuration that it reads. inputs: tables. modules,
    paths: the names behind the two hashes; empty where only a record is at hand.
    """

    code: str
    reads: str
    inputs: tuple[str, ...]
    modules: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Upstream:
    """All that numbers are made of, besides answers.

    bases: by table, by `study/benchmark` for what models filled, and the ledger. modules: sha256 of each
    source file by its name. reads: every value of the configuration by its dotted path, and sha256 of
    question files, prompts and weights. layers: sha256 of each file of the store that says what it holds, by
    layer.
    """

    bases: Mapping[str, Basis]
    modules: Mapping[str, str]
    reads: Mapping[str, Plain]
    layers: Mapping[str, Mapping[str, str]]


class UpstreamBuilder:
    """Collects bases, so that what several of them share is kept once."""

    def __init__(self, layers: Mapping[str, Mapping[str, str]]) -> None:
        self._layers = layers
        self._bases: dict[str, Basis] = {}
        self._modules: dict[str, str] = {}
        self._reads: dict[str, Plain] = {}

    def add(
        self, name: str, code: Mapping[str, str], reads: Mapping[str, object], inputs: Iterable[str]
    ) -> None:
        """Add a basis: sha256 of its modules by name, its configuration as nested values, its inputs."""
        flat = leaves(reads)
        self._bases[name] = Basis(
            fingerprint(code), fingerprint(flat), tuple(inputs), frozenset(code), frozenset(flat)
        )
        self._modules |= code
        self._reads |= flat

    def build(self) -> Upstream:
        """Everything added so far."""
        return Upstream(
            dict(self._bases),
            dict(sorted(self._modules.items())),
            dict(sorted(self._reads.items())),
            self._layers,
        )


@dataclass(frozen=True, slots=True)
class Lineage:
    """One computation of the report.

    run_id, job: as Dagster has them. computed_at: ISO time with zone. draft: a number rests on the open
    layer. tables: for each table that the report was made of, its facts (rows, hash of the rows,
    fingerprint). partitions: the same by `study/benchmark` and table for what models filled. files, machine:
    filled in by `record`.
    """

    run_id: str
    job: str
    computed_at: str
    draft: bool
    tables: Mapping[str, Facts]
    partitions: Mapping[str, Mapping[str, Facts]]
    upstream: Upstream
    files: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, object] = field(default_factory=dict)


def ancestry(bases: Mapping[str, Basis], name: str) -> list[str]:
    """The name and all that it is made of, as far as it has a basis, nearest first."""
    found = [name]
    for at in found:
        found += [other for other in bases[at].inputs if other in bases and other not in found]
    return found


def record(lineage: Lineage, folder: Path, files: Iterable[str]) -> bool:
    """Write `lineage.json` beside the report's `files`; return whether it was written.

    A record that already names these bytes, made of the same, is kept: the run that computed them first is
    the one that did. The machine's facts are added, but no host or user name.
    """
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sorted(files)}
    facts = {**_plain(lineage), "files": hashes, "machine": machine()}
    path = folder / FILE
    if _without_run(_content(path)) == _without_run(facts):
        return False
    unfinished = folder / f".{FILE}.{os.getpid()}"
    unfinished.write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    unfinished.replace(path)
    return True


def read(folder: Path) -> Lineage:
    """The record beside the report in a folder.

    Raises:
        UserError: there is none, or it does not say what the report was made of.
    """
    path = folder / FILE
    return parse(path.read_text("utf-8") if path.is_file() else "", str(path))


def parse(text: str, where: str) -> Lineage:
    """The record from its text; `where` names it in errors.

    Raises:
        UserError: it is not such a record.
    """
    try:
        facts = json.loads(text)
        bases = {
            name: Basis(basis["code"], basis["reads"], tuple(basis["inputs"]))
            for name, basis in facts.pop("bases").items()
        }
        upstream = Upstream(bases, *(facts.pop(name) for name in ("modules", "reads", "layers")))
        return Lineage(**facts, upstream=upstream)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            "the record of what the report was made of is missing, or of another form",
            where=where,
            remedy="run the job `recompute`, which writes it beside the report",
        ) from error


def machine() -> dict[str, str | int | dict[str, str]]:
    """What ran it: system, kind and count of processors, Python, packages that touch a number or a page."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
    }


def _plain(lineage: Lineage) -> dict[str, object]:
    facts = asdict(lineage)
    upstream = facts.pop("upstream")
    bases = {
        name: {key: basis[key] for key in ("code", "reads", "inputs")}
        for name, basis in upstream.pop("bases").items()
    }
    return {**facts, **upstream, "bases": bases}


def _without_run(facts: object) -> str | None:
    if not isinstance(facts, dict):
        return None
    return json.dumps({name: value for name, value in facts.items() if name not in _RUN}, sort_keys=True)


def _content(path: Path) -> object:
    """The JSON of a file; None where there is none that can be read."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
