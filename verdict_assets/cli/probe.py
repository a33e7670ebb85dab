"""`verdict probe`: ask a study's judges about steps of known truth, and keep the replies.

Belongs here: the arguments, and how the end is told. Does not: which steps these are (`scenes.probe`).
"""

import argparse
import sys
import uuid

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
from verdict_assets.rollout.expand import Options
from verdict_assets.rollout.probe import Probe, ask_probe, extract_probe, open_probe
from verdict_assets.rollout.progress import Progress
from verdict_assets.schemas.judge_probe import TABLE
from verdict_assets.schemas.parquet import rows_sha256

NAME = "probe"
HELP = "Ask the judges of a study about right and corrupted steps of known truth, and keep the replies."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `verdict probe`."""
    add_engine_arguments(parser)
    parser.add_argument("--budget", type=positive, help="ask at most so many requests of each benchmark")


def run(args: argparse.Namespace) -> int:
    """Probe every named benchmark; 0 if no reply is missing, 1 if one is, 130 if interrupted."""
    project = find_project()
    partitions = named_partitions(project, args)
    store = named_store(project, args)
    engine = named_engine(project, args, partitions, store)
    options = Options(budget=args.budget, mixed=args.mixed)
    try:
        complete = [
            _probe(open_probe(project.root, partition), store, engine, options) for partition in partitions
        ]
    except KeyboardInterrupt:
        print("\ninterrupted; what was answered is kept", file=sys.stderr)
        return INTERRUPTED
    finally:
        engine.close()
    return 0 if all(complete) else INCOMPLETE


def _probe(probe: Probe, store: Store, engine: Engine, options: Options) -> bool:
    """Ask one probe and print how it ended; whether nothing is missing."""
    if not probe.calls:
        print(f"no step of {probe.benchmark} has a known truth, so its judges cannot be probed")
        return True
    progress = Progress(sys.stderr, len(probe.calls))
    report = ask_probe(probe, store, engine, run_id=uuid.uuid4().hex, options=options, progress=progress)
    rows = extract_probe(probe, store).judge_probe
    hashed = f"{TABLE.name}: {len(rows)} rows, sha256 {rows_sha256(rows, TABLE)}"
    print(*report.lines(), hashed, sep="\n", flush=True)
    return not report.open
