"""What the verbs that ask models share: their arguments, and the partitions, store and engine these name.

Belongs here: arguments of `verdict rollout` and `verdict probe`, and opening. Does not: a verb.
"""

import argparse
from pathlib import Path

from verdict_assets.config.paths import Project
from verdict_assets.config.studies import load_studies, study_named
from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.layers import frozen_layers
from verdict_assets.inference.store import Store
from verdict_assets.rollout.engines import ENGINES, EngineChoice, open_engine
from verdict_assets.rollout.partition import Partition, open_partition

INCOMPLETE = 1
INTERRUPTED = 130


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """Who is asked, for which study and benchmarks, and where the answers are kept."""
    parser.add_argument("--study", required=True, help="a file of studies/, without its suffix")
    parser.add_argument(
        "--benchmark", action="append", help="a benchmark of the study; repeatable; all by default"
    )
    parser.add_argument(
        "--engine", choices=ENGINES, default="replay", help="who answers; replay asks no model"
    )
    parser.add_argument("--url", help="address of an OpenAI-compatible server, like http://localhost:8000/v1")
    parser.add_argument("--limit", type=positive, help="only the first so many questions")
    parser.add_argument(
        "--batch-size", type=positive, help="requests decoded together, or in flight at a server"
    )
    parser.add_argument("--threads", type=positive, help="threads of torch")
    parser.add_argument(
        "--mixed", action="store_true", help="let answers of different engines stand in one study"
    )
    parser.add_argument(
        "--layer",
        type=Path,
        metavar="FOLDER",
        help="keep the answers in this folder and read no other layer, to grow a run from nothing",
    )


def named_partitions(project: Project, args: argparse.Namespace) -> list[Partition]:
    """The partitions that the arguments name. Raises UserError for names that do not exist."""
    study = study_named(load_studies(project.root), args.study)
    benchmarks: list[str] = list(dict.fromkeys(args.benchmark or study.benchmarks))
    return [open_partition(project.root, study.name, name, args.limit) for name in benchmarks]


def named_store(project: Project, args: argparse.Namespace) -> Store:
    """The project's layers, or the one folder of `--layer`."""
    if args.layer is not None:
        return Store.open(open_layer=args.layer)
    return Store.open(frozen=frozen_layers(project), open_layer=project.open_layer)


def named_engine(
    project: Project, args: argparse.Namespace, partitions: list[Partition], store: Store
) -> Engine:
    """The engine, ready to be asked about the partitions' pictures; the caller closes it."""
    choice = EngineChoice(args.engine, args.url, args.batch_size, args.threads)
    return open_engine(choice, project.root, [partition.benchmark for partition in partitions], store)


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)
