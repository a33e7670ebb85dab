"""Runs one rollout of the toy study in a process of its own, for tests that kill it or run two at once."""

from __future__ import annotations

import sys
from pathlib import Path

from rollout_world import ToyEngine, open_store, toy_partition

from verdict_assets.rollout.expand import Options, expand


def main(folder: str, questions: str, seconds: str, window: str) -> None:
    partition = toy_partition(int(questions))
    engine = ToyEngine(seconds=float(seconds))
    options = Options(window=int(window))
    report = expand(partition, open_store(Path(folder)), engine, run_id=f"worker-{window}", options=options)
    print(report.asked)


if __name__ == "__main__":
    main(*sys.argv[1:])
