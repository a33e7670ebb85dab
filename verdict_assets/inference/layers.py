"""Which layers the store of a project has, and in which order they are read.

Belongs here: the recorded run, further layers that DVC keeps, the open layer; refusing to go on without one
that should be here. Does not belong here: what is in a layer, and whether it was changed (`store/guard.py`).
"""

from __future__ import annotations

from pathlib import Path

from verdict_assets.config.paths import Project
from verdict_assets.config.versioned import POINTER, Recorded, md5_of, pointed
from verdict_assets.errors import UserError
from verdict_assets.inference.store.guard import DamagedStore, Layer, is_absent

_ENVIRONMENT = ".venv-dvc/.installed"
_DVC = ".venv-dvc/bin/dvc"


def project_layers(project: Project) -> tuple[Layer, ...]:
    """The recorded run, further frozen layers by name, and the open layer, which takes new answers.

    Raises:
        UserError: a layer that git points to is not here or is another one, or one is here that git does not
            know.
    """
    further = pointed(project.layers)
    for recorded in further:
        _require(recorded, project)
    _refuse_unknown(project, {recorded.path for recorded in further})
    frozen = [project.recorded_store, *(recorded.path for recorded in further)]
    return *(Layer(path, frozen=True) for path in frozen), Layer(project.open_layer, frozen=False)


def frozen_layers(project: Project) -> list[Path]:
    """The folders of the frozen layers in the order in which they are read. Raises as `project_layers`."""
    return [layer.path for layer in project_layers(project) if layer.frozen]


def _require(recorded: Recorded, project: Project) -> None:
    """Refuse to go on where a layer is missing, or is another one than git's pointer says."""
    shown = recorded.path.relative_to(project.root).as_posix()
    pointer = f"{shown}{POINTER}"
    if is_absent(recorded.path):
        raise UserError(
            f"a recorded layer is not here: {recorded.files} files, {recorded.size / 1e6:.1f} MB, for which "
            f"{pointer} stands in git",
            where=recorded.path,
            remedy=f"fetch it: `{_DVC} pull {pointer}` (`make {_ENVIRONMENT}` installs DVC). If the remote "
            f"cannot be reached, `{_DVC} remote list` says where it is: ask who keeps it, or copy the folder "
            f"from a clone that has it. To go on without its answers, delete {pointer}",
        )
    if md5_of(recorded.path) != recorded.md5:
        raise DamagedStore(
            f"the layer is not the one for which {pointer} stands in git",
            where=recorded.path,
            remedy=f"restore it with `{_DVC} checkout {pointer}`; if it is meant to be another one now, "
            f"`{_DVC} add {shown}` and commit {pointer}",
        )


def _refuse_unknown(project: Project, known: set[Path]) -> None:
    """Refuse a layer without a pointer: numbers of this clone would be those of no other."""
    folders = sorted(project.layers.iterdir()) if project.layers.is_dir() else []
    for folder in folders:
        if folder.is_dir() and folder not in known and not is_absent(folder):
            shown = folder.relative_to(project.root).as_posix()
            raise DamagedStore(
                "a layer was added that git does not know",
                where=folder,
                remedy=f"let DVC keep it: `{_DVC} add {shown}`, and commit {shown}{POINTER}; or move it away",
            )
