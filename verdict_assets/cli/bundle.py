"""`verdict bundle`: report, ledger, lineage and the recorded tables in one archive, and its verification.

Belongs here: arguments and printing. Does not: what is in a bundle and when it holds
(`orchestration/bundling.py`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from verdict_assets.config.paths import find_project

NAME = "bundle"
HELP = "pack the report with what it takes to compute every number again, or --verify such a bundle"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, or what to verify."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "-o", "--output", type=Path, default=Path("verdict-bundle.tar"), help="file (default: %(default)s)"
    )
    which.add_argument("--verify", type=Path, metavar="FILE", help="compute every number of a bundle again")
    parser.epilog = (
        "A bundle holds every recorded step, reply and score, but no picture and no weights. Verifying needs "
        "this package alone: no project, no store, no network. Exit status 1 if something does not hold."
    )


def run(args: argparse.Namespace) -> int:
    """Pack or verify.

    Raises:
        UserError: the report is not of the present answers, or the file is no sound bundle.
    """
    if args.verify is not None:
        return _verify(args.verify)
    from verdict_assets.orchestration.bundling import make_bundle

    data = make_bundle(find_project())
    args.output.write_bytes(data)
    print(f"{len(data) / 1e6:.1f} MB: {args.output}; to verify: verdict bundle --verify {args.output}")
    return 0


def _verify(bundle: Path) -> int:
    from verdict_assets.orchestration.bundling import verify_bundle
    from verdict_assets.reporting.audit import text

    found = verify_bundle(bundle)
    lines = [f"CHANGED  {name}, which is not what run {found.run_id} wrote" for name in found.edited]
    lines += [f"CHANGED  {change.text}" for change in found.changes]
    lines += text.differences(found.differences)
    for line in lines:
        print(line)
    if lines:
        if found.code:
            print(f"note: this package is not the code that made the report: {', '.join(found.code)}")
        print(f"this bundle does not hold: {len(lines)} faults")
        return 1
    print(f"{found.numbers} numbers computed again from the bundle alone: the same to the bit")
    return 0
