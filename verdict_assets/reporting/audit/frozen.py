"""Whether what was frozen with the recorded answers is what it was: shards, questions, prompts, weights.

Belongs here: looking at those files and saying what was changed in them. Does not belong here: what may
change (`changes.compare`), and refusing to read a damaged store (`inference.store.guard`, which this asks).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from verdict_assets.benchmarks.load import read_columns
from verdict_assets.config.paths import Project
from verdict_assets.config.studies import StudySpec
from verdict_assets.config.versioned import locked, md5_of
from verdict_assets.errors import UserError
from verdict_assets.inference.recorded_with import recorded_with
from verdict_assets.inference.store.files import shards_in
from verdict_assets.inference.store.guard import Layer, frozen_faults, is_absent, shard_fault
from verdict_assets.inference.store.manifest import read_manifest
from verdict_assets.inference.weights import NOT_WEIGHTS
from verdict_assets.reporting.audit.changes import Change, Kind


def faults(project: Project, studies: Mapping[str, StudySpec], layers: Iterable[Layer]) -> list[Change]:
    """Everything that was changed among what the studies' recorded answers rest on.

    layers: those of the project's store. Hashes every file. Files that no frozen layer's manifest knows, and
    folders that dvc.lock does not know, are not judged.
    """
    present = [layer for layer in layers if not is_absent(layer.path)]
    pairs = [(name, benchmark) for name, study in studies.items() for benchmark in study.benchmarks]
    partitions = frozenset("/".join(pair) for pair in pairs)
    found = [
        Change(Kind.LAYER, fault, None, None, partitions, refused=True) for fault in _store(project, present)
    ]
    found += [change for layer in present if layer.frozen for change in _beside(layer, project, studies)]
    found += [fault for name in sorted({pair[1] for pair in pairs}) for fault in _images(project, name)]
    return [*found, *_against_dvc(project, found, partitions)]


def _store(project: Project, layers: Iterable[Layer]) -> Iterator[str]:
    """What is wrong with the layers, in the guard's words."""
    for layer in layers:
        if layer.frozen:
            try:
                names = frozen_faults(layer.path, full=True)
            except UserError as error:
                names = [error.what]
        else:
            found = (shard_fault(path, full=True) for path in shards_in(layer.path))
            names = [fault for fault in found if fault is not None]
        yield from (f"{_shown(layer.path, project)}/{name}" for name in names)


def _beside(layer: Layer, project: Project, studies: Mapping[str, StudySpec]) -> Iterator[Change]:
    """Prompts, weights and question files that are not those with which a layer's answers were recorded."""
    try:
        recorded = read_manifest(layer.path).beside
    except UserError:
        return  # told by `_store`
    present = recorded_with(project)
    for path, sha256 in recorded.items():
        now = present.get(path)
        if now == sha256:
            continue
        at = PurePosixPath(path)
        kinds = {
            f"{name}/{benchmark}": kind
            for name, study in studies.items()
            for benchmark in study.benchmarks
            if (kind := _use(at, study, benchmark, project)) is not None
        }
        for kind in set(kinds.values()):
            yield Change(kind, path, sha256, now, frozenset(kinds), refused=True)


def _use(path: PurePosixPath, study: StudySpec, benchmark: str, project: Project) -> Kind | None:
    """As what a study's answers on a benchmark rest on a file; None if they do not."""
    if path.as_posix() in {f"prompts/{name}" for name in study.prompts}:
        return Kind.PROMPT
    if path == PurePosixPath(_shown(project.benchmarks, project), f"{benchmark}.parquet"):
        return Kind.FILE
    weights = PurePosixPath(_shown(project.weights, project))
    models = {study.base.model, *(judge.model for judge in study.judges)}
    read = path.suffix not in NOT_WEIGHTS and any(path.is_relative_to(weights / model) for model in models)
    return Kind.WEIGHTS if read else None


def _images(project: Project, benchmark: str) -> Iterator[Change]:
    """Pictures whose bytes do not have the hash that stands beside them and in every request."""
    path = project.benchmarks / f"{benchmark}.parquet"
    if not path.is_file():
        return  # told by `_beside`, or by whoever needs it
    try:
        rows = read_columns(project.root, benchmark, ("question_id", "image_sha256", "images"))
    except UserError as error:
        name = f"{_shown(path, project)}: {error.what}"
        yield Change(Kind.FILE, name, None, None, benchmark=benchmark, refused=True)
        return
    for question, hashes, pictures in rows:
        for expected, picture in zip(hashes, pictures, strict=True):
            found = hashlib.sha256(picture).hexdigest()
            if found != expected:
                name = f"of question {question}, benchmark {benchmark}"
                yield Change(Kind.IMAGE, name, expected, found, benchmark=benchmark, refused=True)


def _against_dvc(project: Project, known: list[Change], partitions: frozenset[str]) -> Iterator[Change]:
    """Versioned folders that differ from dvc.lock although nothing in them was named yet."""
    for out in locked(project.root):
        path = _shown(out.path, project)
        if any(path in change.name for change in known):
            continue
        found = md5_of(out.path) if out.path.exists() else None
        if found != out.md5:
            name = f"{path}, which is not what dvc.lock records"
            yield Change(Kind.FOLDER, name, out.md5, found, partitions, refused=True)


def _shown(path: Path, project: Project) -> str:
    return path.relative_to(project.root).as_posix()
