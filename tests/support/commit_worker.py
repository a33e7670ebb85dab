"""A process that commits to an open layer, for tests of many writers and of killed ones.

Usage: commit_worker.py FOLDER NAME COMMITS [KILLED_AT]. KILLED_AT is the moment in the second commit at which
the process kills itself: written, claimed or renamed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from asking import PROVENANCE, answer, step

from verdict_assets.inference.store import Store, claim


def die(*args: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    folder, name, commits, *killed_at = sys.argv[1:]
    store = Store.open(open_layer=Path(folder))
    for number in range(int(commits)):
        if number == 1 and killed_at == ["written"]:
            claim.os.link = die
        if number == 1 and killed_at == ["claimed"]:
            Path.rename = die
        if number == 1 and killed_at == ["renamed"]:
            Path.unlink = die
        own = (step(number, prefix=f"{name}\n"), answer(f"{name} {number}"))
        shared = (step(number), answer(f"shared, by {name}"))
        store.commit([own, shared], PROVENANCE, run_id=name)
    print(len(store))


if __name__ == "__main__":
    main()
