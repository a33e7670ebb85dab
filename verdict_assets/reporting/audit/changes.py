"""What has changed upstream of numbers, and which numbers each change touches.

Belongs here: comparing two states of all that numbers are made of. Does not belong here: looking at frozen
files themselves (`frozen`), computing numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePosixPath

from verdict_assets.config.fingerprint import Plain
from verdict_assets.reporting.audit.reported import Row
from verdict_assets.reporting.lineage import NUMBERS, Basis, Facts, Upstream, ancestry

CONFIGURATION = ("parameters", "studies")
"""Tables of the ledger that show the configuration itself."""
_DIGITS = 12
_HASH = 64


class Kind(StrEnum):
    """What sort of thing was changed."""

    PARAMETER = "parameter"
    STUDY = "study"
    MODULE = "module"
    QUESTIONS = "questions"
    FILE = "question file"
    IMAGE = "image"
    PROMPT = "prompt"
    WEIGHTS = "weights"
    LAYER = "layer"
    FOLDER = "versioned folder"
    ROWS = "rows of"
    LEDGER = "ledger"


_ROOTS = {
    "params": Kind.PARAMETER,
    "studies": Kind.STUDY,
    "questions": Kind.QUESTIONS,
    "files": Kind.FILE,
    "prompts": Kind.PROMPT,
    "weights": Kind.WEIGHTS,
}


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not what it was.

    before, after: values, or hashes; None where there was, or is, nothing. bases: tables
    and partitions that it enters directly, None for all. study, benchmark: the only ones it concerns, if not
    all. refused: it was frozen with the recorded answers and may not change under them; everything else may,
    and `recompute` moves the numbers.
    """

    kind: Kind
    name: str
    before: str | None
    after: str | None
    bases: frozenset[str] | None = None
    study: str | None = None
    benchmark: str | None = None
    refused: bool = False

    @property
    def text(self) -> str:
        """The change in a line."""
        if self.before is None and self.after is None:
            return f"{self.kind.value} {self.name}"
        shown = [_short(value) or "nothing" for value in (self.before, self.after)]
        return f"{self.kind.value} {self.name}: {' -> '.join(shown)}"


def compare(before: Upstream, now: Upstream) -> list[Change]:
    """Everything in which two states differ, in the order of names: configuration, files, code, layers."""
    found = [
        _read(path, before, now)
        for path in sorted(before.reads.keys() | now.reads.keys())
        if before.reads.get(path) != now.reads.get(path)
    ]
    for name in sorted(before.modules.keys() | now.modules.keys()):
        one, other = before.modules.get(name), now.modules.get(name)
        if one != other:
            bases = frozenset(at for at, basis in now.bases.items() if name in basis.modules)
            bases = bases or _differing(before, now, "code")
            found.append(Change(Kind.MODULE, name, one, other, bases))
    partitions = frozenset(name for name in before.bases.keys() | now.bases.keys() if "/" in name)
    for layer in sorted(before.layers.keys() | now.layers.keys()):
        files, others = before.layers.get(layer, {}), now.layers.get(layer, {})
        found += [
            Change(Kind.LAYER, f"{layer}/{name}", files.get(name), others.get(name), partitions)
            for name in sorted(files.keys() | others.keys())
            if files.get(name) != others.get(name)
        ]
    return found


def compare_rows(
    before: Mapping[str, Mapping[str, Facts]], now: Mapping[str, Mapping[str, Facts]]
) -> list[Change]:
    """Tables that models filled whose rows differ, by `study/benchmark` and table."""
    found = []
    for pair in sorted(before.keys() | now.keys()):
        one, other = before.get(pair, {}), now.get(pair, {})
        for table in sorted(one.keys() | other.keys()):
            was, is_now = (
                str(facts[table]["rows_sha256"]) if table in facts else None for facts in (one, other)
            )
            if was != is_now:
                found.append(Change(Kind.ROWS, f"{table} {pair}", was, is_now, frozenset({pair})))
    return found


def together(refused: Sequence[Change], compared: Iterable[Change]) -> list[Change]:
    """Both lists: of the second without what the first says already, and refused where it explains it."""
    known = {(change.kind, change.name) for change in refused}
    known |= {(Kind.WEIGHTS, model) for change in refused for model in change.name.split("/")}
    files = {PurePosixPath(change.name).stem for change in refused if change.kind is Kind.FILE}
    layers = [change.name for change in refused if change.kind in (Kind.LAYER, Kind.FOLDER)]
    found = list(refused)
    for change in compared:
        if change.kind is Kind.LAYER and any(change.name in name for name in layers):
            continue
        if (change.kind, change.name) not in known:
            follows = change.kind is Kind.LAYER and bool(layers)
            follows = follows or (change.kind is Kind.QUESTIONS and change.benchmark in files)
            found.append(replace(change, refused=follows))
    return found


def touched(change: Change, row: Row, bases: Mapping[str, Basis]) -> bool:
    """Whether a number rests on what was changed."""
    table, place, column = row["id"].split("/")
    if table in CONFIGURATION:
        return _configured(change, table, place, column)
    if change.study is not None and change.study != row["study"]:
        return False
    if change.benchmark is not None and change.benchmark != row["benchmark"]:
        return False
    if change.bases is None:
        return True
    ways = {*ancestry(bases, table), f"{row['study']}/{row['benchmark']}"}
    if change.kind is Kind.MODULE:
        ways.add(NUMBERS)  # the ledger's configuration is its own rows, but its code makes every number
    return not change.bases.isdisjoint(ways)


def all_touched(change: Change, rows: Iterable[Row], bases: Mapping[str, Basis]) -> list[str]:
    """Ids of all numbers that rest on what was changed, in their order."""
    return [row["id"] for row in rows if touched(change, row, bases)]


def _read(path: str, before: Upstream, now: Upstream) -> Change:
    root, _, rest = path.partition(".")
    kind = _ROOTS[root]
    bases = frozenset(name for name, basis in now.bases.items() if path in basis.paths)
    bases = bases or _differing(before, now, "reads")
    values = (_value(before.reads, path), _value(now.reads, path))
    study = rest.split(".")[0] if kind is Kind.STUDY else None
    benchmark = None
    if kind is Kind.QUESTIONS:
        benchmark, _, column = rest.partition(".")
        rest = f"{benchmark}, column {column}"
    elif kind is Kind.PROMPT:
        rest = path.replace(".", "/", 1)
    elif kind is Kind.FILE:
        benchmark = PurePosixPath(rest).stem
    return Change(kind, rest, *values, bases, study, benchmark)


def _differing(before: Upstream, now: Upstream, part: str) -> frozenset[str]:
    """Bases of which a part differs: where a thing is gone, or only records are at hand, no more is known."""
    one, other = (
        {name: getattr(basis, part) for name, basis in state.bases.items()} for state in (before, now)
    )
    return frozenset(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _configured(change: Change, table: str, place: str, column: str) -> bool:
    """Whether a number that is part of the configuration was changed, or is written by changed code."""
    if change.kind is Kind.PARAMETER:
        path = column if place == "params" else f"{place}.{column}"
        return table == "parameters" and change.name == path
    if change.kind is Kind.STUDY:
        return table == "studies" and change.study == place
    if change.kind is Kind.MODULE:
        return change.bases is None or NUMBERS in change.bases
    return change.kind is Kind.LEDGER


def _value(reads: Mapping[str, Plain], path: str) -> str | None:
    if path not in reads:
        return None
    return str(reads[path])


def _short(value: str | None) -> str | None:
    """A hash by its beginning, any other text whole."""
    return value[:_DIGITS] if value is not None and len(value) == _HASH else value
