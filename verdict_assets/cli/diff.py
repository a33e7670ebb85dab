"""`verdict diff`: which reported numbers moved between two revisions, by how much, and what moved them.

Belongs here: arguments and printing. Does not: comparing (`reporting/audit/moves.py`), asking git.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from verdict_assets.config.paths import find_project

if TYPE_CHECKING:
    from verdict_assets.reporting.audit.changes import Change
    from verdict_assets.reporting.audit.moves import Move

NAME = "diff"
HELP = "which reported numbers moved between two git revisions, and what moved them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Two states of the report."""
    parser.add_argument("before", help="git revision, such as HEAD~1")
    parser.add_argument("after", nargs="?", help="git revision (default: the working tree)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.epilog = "Exit status 1 if a number moved. What moved it stands in reports/lineage.json."


def run(args: argparse.Namespace) -> int:
    """Compare and print.

    Raises:
        UserError: a revision does not exist, or has no report.
    """
    from verdict_assets.reporting.audit import moves, revisions

    project = find_project()
    before, after = (revisions.state(project, revision) for revision in (args.before, args.after))
    changes = moves.changes(before, after)
    moved = moves.moves(before, after, changes)
    told = before.lineage is not None and after.lineage is not None
    files = [] if told else revisions.changed_files(project, args.before, args.after)
    if args.json:
        listed = [{"kind": change.kind.value, "what": change.text} for change in changes]
        facts = {"changes": listed, "files": files, "moves": [asdict(move) for move in moved]}
        print(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        _print(moved, changes, files)
    return 1 if moved else 0


def _print(moved: Sequence[Move], changes: Sequence[Change], files: Sequence[str]) -> None:
    for at, change in enumerate(changes, start=1):
        print(f"[{at}] {change.text}")
    if files:
        print("a record does not say what its report was made of; files that differ in git:")
        print("\n".join(f"  {file}" for file in files))
    for move in moved:
        by = "" if move.by is None else f" ({move.by:+.6g})"
        causes = "".join(f" [{at + 1}]" for at in move.causes)
        print(f"{move.number}: {_values(move.before)} -> {_values(move.after)}{by}{causes}")
    print(f"{len(moved)} numbers moved, {len(changes) or len(files)} changes upstream")


def _values(columns: Mapping[str, str]) -> str:
    """The moved columns; the value itself, which is what is meant, without its name."""
    named = {name: value or "none" for name, value in columns.items()}
    shown = [value if name == "value" else f"{name} {value}" for name, value in named.items()]
    return ", ".join(shown) or "nothing"
