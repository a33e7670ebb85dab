"""`verdict rollout`: ask models for what a study still needs, and keep the answers.

Belongs here: the arguments, and how the end of a rollout is told. Does not: what is asked (`rollout/`).
"""

import argparse
import sys
import uuid
from collections.abc import Iterator, Sequence

from verdict_assets.cli.engine_options import (
    INCOMPLETE,
    INTERRUPTED,
    add_engine_arguments,
    named_engine,
    named_partitions,
    named_store,
    positive,
)
from verdict_assets.config.paths import find_project
from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.store import Store
from verdict_assets.rollout.expand import Options, expand
from verdict_assets.rollout.extract import Extract, extract
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.progress import Progress
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import rows_sha256

NAME = "rollout"
HELP = "Ask models for what the strategies of a study still need, and keep the answers."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `verdict rollout`."""
    add_engine_arguments(parser)
    parser.add_argument("--window", type=positive, default=64, help="questions grown at the same time")
    parser.add_argument("--budget", type=positive, help="ask at most so many requests, first where most wait")


def run(args: argparse.Namespace) -> int:
    """Roll out every named benchmark; 0 if all is closed, 1 if not, 130 if interrupted."""
    project = find_project()
    partitions = named_partitions(project, args)
    store = named_store(project, args)
    engine = named_engine(project, args, partitions, store)
    try:
        open_questions = _roll_out(partitions, store, engine, args)
    except KeyboardInterrupt:
        print("\ninterrupted; what was answered is kept", file=sys.stderr)
        return INTERRUPTED
    finally:
        engine.close()
    if open_questions:
        print("not everything is closed; the same command goes on from here", file=sys.stderr)
    return INCOMPLETE if open_questions else 0


def _roll_out(partitions: Sequence[Partition], store: Store, engine: Engine, args: argparse.Namespace) -> int:
    """Roll out one partition after the other and print how each ended; the number of questions left open."""
    run_id = uuid.uuid4().hex
    left: int | None = args.budget
    open_questions = 0
    for number, partition in enumerate(partitions):
        options = Options(window=args.window, budget=left, mixed=args.mixed)
        progress = Progress(sys.stderr, len(partition.questions))
        report = expand(partition, store, engine, run_id=run_id, options=options, progress=progress)
        print(*report.lines(), *_hashes(extract(partition, store)), sep="\n", flush=True)
        open_questions += len(report.open)
        left = None if left is None else left - report.asked
        if report.stopped is not None or left == 0:
            return open_questions + sum(len(later.questions) for later in partitions[number + 1 :])
    return open_questions


def _hashes(tables: Extract) -> Iterator[str]:
    """One line a table: two rollouts are equal exactly when these lines are."""
    for name in ("candidates", "raw_scores", "answers"):
        rows = getattr(tables, name)
        yield f"{name}: {len(rows)} rows, sha256 {rows_sha256(rows, TABLES[name])}"
