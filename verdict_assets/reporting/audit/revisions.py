"""The report's files as they were at a revision of git, or as they are in the working tree.

Belongs here: asking git for files. Does not belong here: comparing them (`moves`).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.reporting import lineage
from verdict_assets.reporting.audit.moves import State
from verdict_assets.reporting.audit.reported import load, parse
from verdict_assets.reporting.report import NUMBERS

UPSTREAM = ("params.yaml", "studies", "data", "verdict_assets")
"""Where that which numbers are made of lies, from the project's root."""


def state(project: Project, revision: str | None) -> State:
    """The report at a revision, or in the working tree for None.

    Raises:
        UserError: there is no such revision, or no report in it.
    """
    if revision is None:
        path = project.reports / lineage.FILE
        record = path.read_text("utf-8") if path.is_file() else ""
        return State(load(project.reports), _lineage(record))
    folder = project.reports.relative_to(project.root).as_posix()
    numbers = _shown(project.root, revision, f"{folder}/{NUMBERS}")
    if numbers is None:
        raise UserError(
            f"there is no report at the revision {revision!r}",
            where=f"{folder}/{NUMBERS}",
            remedy="name a commit that has one; see: git log -- reports",
        )
    return State(parse(numbers), _lineage(_shown(project.root, revision, f"{folder}/{lineage.FILE}") or ""))


def changed_files(project: Project, before: str, after: str | None) -> list[str]:
    """Files upstream of numbers that differ between a revision and another, or the working tree for None."""
    revisions = [before] if after is None else [before, after]
    return _git(project.root, "diff", "--name-only", *revisions, "--", *UPSTREAM).splitlines()


def _lineage(record: str) -> lineage.Lineage | None:
    """What the record says; None for one of an older form."""
    try:
        return lineage.parse(record, lineage.FILE)
    except UserError:
        return None


def _shown(root: Path, revision: str, path: str) -> str | None:
    """A file at a revision; None where it has none. A path is meant from the project's root."""
    _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    found = _run(root, "show", f"{revision}:./{path}")
    return found.stdout if found.returncode == 0 else None


def _git(root: Path, *arguments: str) -> str:
    done = _run(root, *arguments)
    if done.returncode != 0:
        raise UserError(
            f"git does not know this: {' '.join(arguments)}",
            where=done.stderr.strip() or root,
            remedy="run in a git checkout of the project, and name revisions that `git log` shows",
        )
    return done.stdout


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise UserError("git is not installed", remedy="install git") from None
