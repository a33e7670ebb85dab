"""Refusing to compute from data that were frozen and are not what they were.

Belongs here: what frozen answers rest on (question files with their pictures, weights, prompts), and that
versioned folders are here at all. Does not: the answers themselves, which the store verifies whenever it is
opened (inference/store/guard.py, inference/layers.py); parameters, studies and code, which may change.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from verdict_assets.config.studies import StudySpec
from verdict_assets.config.versioned import locked
from verdict_assets.inference.layers import frozen_layers
from verdict_assets.inference.recorded_with import recorded_with
from verdict_assets.inference.store.guard import DamagedStore, is_absent, known_hash
from verdict_assets.inference.store.manifest import read_manifest
from verdict_assets.inference.weights import NOT_WEIGHTS
from verdict_assets.orchestration.setting import Setting


def require_here(setting: Setting) -> None:
    """Refuse to compute where a folder that dvc.lock records is missing.

    While there is an open layer, nothing is refused: answers are being recorded, and such numbers are drafts.

    Raises:
        DamagedStore: names every such folder, and how to get it back.
    """
    if _recording(setting):
        return
    missing = [out for out in locked(setting.project.root) if is_absent(out.path)]
    if missing:
        names = [out.path.relative_to(setting.project.root).as_posix() for out in missing]
        raise DamagedStore(
            f"versioned data are not here: {', '.join(names)}",
            where=setting.project.root / "dvc.lock",
            remedy=f"get them back: git checkout -- {' '.join(names)} (dvc pull, if they are not in git). "
            "To record them anew, run `verdict rollout` first",
        )


def require_unchanged(setting: Setting) -> None:
    """Refuse to compute where a file that frozen answers rest on was edited, deleted or added.

    As for `require_here`, an open layer lifts this.

    Raises:
        DamagedStore: names every such file, and how to get it back.
    """
    if _recording(setting):
        return
    faults = sorted(set(_faults(setting)))
    if faults:
        raise DamagedStore(
            "frozen answers were recorded with other files:\n" + "\n".join(f"  {fault}" for fault in faults),
            where=setting.project.root,
            remedy="restore them: git checkout -- FILE, and delete what was added. If the change is meant, "
            "record answers with it (`verdict rollout`): beside an open layer it is no error, and "
            "`verdict freeze` makes it final",
        )


def _recording(setting: Setting) -> bool:
    return not is_absent(setting.project.open_layer)


def _faults(setting: Setting) -> Iterator[str]:
    """What differs from the manifests of the frozen layers, as far as a study of this project uses it."""
    now = {
        path: sha256
        for path, sha256 in recorded_with(setting.project, known_hash).items()
        if _used(path, setting)
    }
    for layer in frozen_layers(setting.project):
        if is_absent(layer):
            continue
        then = {path: sha256 for path, sha256 in read_manifest(layer).beside.items() if _used(path, setting)}
        for path, sha256 in then.items():
            if path not in now:
                yield f"{path}: is missing"
            elif now[path] != sha256:
                yield f"{path}: was changed, its hash is {now[path]} and was {sha256}"
        answered = {_model(path, setting) for path in then} - {None}
        for path in now.keys() - then.keys():
            if _model(path, setting) in answered:
                yield f"{path}: was added to weights that have answered"


def _used(path: str, setting: Setting) -> bool:
    """Whether a question file, a prompt or a file of weights belongs to some study."""
    if path.startswith("prompts/"):
        return any(path.removeprefix("prompts/") in study.prompts for study in setting.studies.values())
    if _model(path, setting) is not None:
        return True
    benchmarks = setting.project.benchmarks.relative_to(setting.project.root)
    return any(path == f"{benchmarks.as_posix()}/{name}.parquet" for name in setting.benchmarks)


def _model(path: str, setting: Setting) -> str | None:
    """The study's model to whose weights a file belongs; None for any other file, or one no engine reads."""
    weights = setting.project.weights.relative_to(setting.project.root)
    file = PurePosixPath(path)
    if not file.is_relative_to(weights.as_posix()) or file.suffix in NOT_WEIGHTS:
        return None
    inside = file.relative_to(weights.as_posix())
    if any(part.startswith(".") for part in inside.parts):
        return None
    names = {name for study in setting.studies.values() for name in (study.base.model, *_judges(study))}
    return next((name for name in sorted(names) if inside.is_relative_to(name)), None)


def _judges(study: StudySpec) -> list[str]:
    return [judge.model for judge in study.judges]
