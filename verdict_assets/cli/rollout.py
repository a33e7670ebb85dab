"""`verdict rollout`: ask models for what a study still needs, and keep the answers.

Belongs here: the arguments, and how the end of a rollout is told. Does not: what is asked (`rollout/`).
"""

import argparse
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from verdict_assets.config.paths import Project, find_project
from verdict_assets.config.studies import load_studies, study_named
from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.store import Store
from verdict_assets.rollout.engines import ENGINES, EngineChoice, open_engine
from verdict_assets.rollout.expand import Options, expand
from verdict_assets.rollout.extract import Extract, extract
from verdict_assets.rollout.partition import Partition, open_partition
from verdict_assets.rollout.progress import Progress
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import rows_sha256

NAME = "rollout"
HELP = "Ask models for what the strategies of a study still need, and keep the answers."

INCOMPLETE = 1
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `verdict rollout`."""
    parser.add_argument("--study", required=True, help="a file of studies/, without its suffix")
    parser.add_argument(
        "--benchmark", action="append", help="a benchmark of the study; repeatable; all by default"
    )
    parser.add_argument(
        "--engine", choices=ENGINES, default="replay", help="who answers; replay asks no model"
    )
    parser.add_argument("--url", help="address of an OpenAI-compatible server, like http://localhost:8000/v1")
    parser.add_argument("--limit", type=_positive, help="only the first so many questions")
    parser.add_argument(
        "--batch-size", type=_positive, help="requests decoded together, or in flight at a server"
    )
    parser.add_argument("--threads", type=_positive, help="threads of torch")
    parser.add_argument("--window", type=_positive, default=64, help="questions grown at the same time")
    parser.add_argument(
        "--budget", type=_positive, help="ask at most so many requests, first where most wait"
    )
    parser.add_argument(
        "--mixed", action="store_true", help="let answers of different engines stand in one study"
    )
    parser.add_argument(
        "--layer",
        type=Path,
        metavar="FOLDER",
        help="keep the answers in this folder and read no other layer, to grow a run from nothing",
    )


def run(args: argparse.Namespace) -> int:
    """Roll out every named benchmark; 0 if all is closed, 1 if not, 130 if interrupted."""
    project = find_project()
    study = study_named(load_studies(project.root), args.study)
    benchmarks: list[str] = list(dict.fromkeys(args.benchmark or study.benchmarks))
    partitions = [open_partition(project.root, study.name, name, args.limit) for name in benchmarks]
    store = _store(project, args.layer)
    choice = EngineChoice(args.engine, args.url, args.batch_size, args.threads)
    engine = open_engine(choice, project.root, benchmarks, store)
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


def _store(project: Project, layer: Path | None) -> Store:
    if layer is not None:
        return Store.open(open_layer=layer)
    return Store.open(frozen=[project.recorded_store], open_layer=project.open_layer)


def _hashes(tables: Extract) -> Iterator[str]:
    """One line a table: two rollouts are equal exactly when these lines are."""
    for name in ("candidates", "raw_scores", "answers"):
        rows = getattr(tables, name)
        yield f"{name}: {len(rows)} rows, sha256 {rows_sha256(rows, TABLES[name])}"


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)
