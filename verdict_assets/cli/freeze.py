"""`verdict freeze`: make the open layer's answers part of a frozen one, or check a frozen layer.

Belongs here: the command. Does not: how a layer is compacted and verified (`inference/store/freeze.py`).
"""

import argparse
from pathlib import Path

from verdict_assets.config.paths import Project, find_project
from verdict_assets.errors import UserError
from verdict_assets.inference.recorded_with import recorded_with
from verdict_assets.inference.store import DamagedStore, Layer
from verdict_assets.inference.store.freeze import check, freeze
from verdict_assets.inference.store.guard import RESTORE

NAME = "freeze"
HELP = "compact the open layer into a frozen one, or --check a frozen layer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which layer, from which."""
    parser.add_argument("--to", type=Path, help="the frozen layer (default: data/recorded/store)")
    parser.add_argument(
        "--from",
        dest="sources",
        type=Path,
        action="append",
        metavar="LAYER",
        help="open layer to take answers from; may be given several times (default: data/store/open)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="hash every file of the layer instead, and fail if one was changed",
    )
    parser.epilog = (
        "What the frozen layer holds already stays and wins over the open one. The open layer is left as it "
        "is; once frozen, it may be deleted."
    )


def run(args: argparse.Namespace) -> int:
    """Freeze or check.

    Raises:
        UserError: a source does not exist or is damaged, or nothing is there to freeze.
    """
    project = find_project()
    target: Path = args.to or project.recorded_store
    if args.check:
        return _check(target, project)
    sources: list[Path] = args.sources or [project.open_layer]
    for source in args.sources or []:
        if not source.is_dir():
            raise UserError("there is no such layer", where=source, remedy="name a folder that holds shards")
    made = freeze(target, [Layer(source, frozen=False) for source in sources], recorded_with(project))
    verb = "froze" if made.changed else "unchanged:"
    size = sum(entry.size for entry in made.manifest.shards.values())
    content = f"{made.manifest.responses} answers in {len(made.manifest.shards)} shards, {size / 1e6:.1f} MB"
    print(f"{verb} {content}: {target}")
    if made.divergent:
        print(f"note: {made.divergent} later answers differ from the first ones; they were not frozen")
    return 0


def _check(target: Path, project: Project) -> int:
    faults, differences = check(target, recorded_with(project))
    if faults:
        raise DamagedStore(
            "the frozen layer was changed:\n" + "\n".join(f"  {fault}" for fault in faults),
            where=target,
            remedy=RESTORE.format(target),
        )
    print(f"sound, every file has the hash of the manifest: {target}")
    for difference in differences:
        print(f"note: {difference}")
    return 0
