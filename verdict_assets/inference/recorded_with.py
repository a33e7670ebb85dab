"""What stands beside recorded answers: hashes of the files that they came from.

Those are prompts, questions, parameters, studies and weights.

Belongs here: which files these are. Does not belong here: where the hashes are kept (`store/manifest.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from verdict_assets.config.paths import Project
from verdict_assets.inference.store.files import sha256_file

_PROMPTS = Path(__file__).parent / "prompts"


def recorded_with(project: Project, digest: Callable[[Path], str] = sha256_file) -> dict[str, str]:
    """Hex sha256 by path from the project's root, and by "prompts/..." in the package."""
    files = {f"prompts/{path.relative_to(_PROMPTS).as_posix()}": path for path in _PROMPTS.rglob("*.txt")}
    for folder in (project.studies, project.benchmarks, project.weights):
        files |= {
            path.relative_to(project.root).as_posix(): path for path in folder.rglob("*") if path.is_file()
        }
    files[project.params.relative_to(project.root).as_posix()] = project.params
    return {name: digest(path) for name, path in sorted(files.items())}
