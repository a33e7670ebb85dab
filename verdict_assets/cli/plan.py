"""`verdict plan`: what a study still asks of models, counted without asking.

Belongs here: the arguments and the words. Does not: the counting (`rollout/plan.py`).
"""

import argparse

from verdict_assets.cli.engine_options import named_store, positive
from verdict_assets.config.paths import find_project
from verdict_assets.config.studies import load_studies, study_named
from verdict_assets.rollout.partition import open_partition
from verdict_assets.rollout.plan import plan

NAME = "plan"
HELP = "Count what a study still asks of models, without asking."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `verdict plan`."""
    parser.add_argument("study", help="a file of studies/, without its suffix")
    parser.add_argument("--limit", type=positive, help="only the first so many questions of each benchmark")
    parser.set_defaults(layer=None)


def run(args: argparse.Namespace) -> int:
    """One line a benchmark."""
    project = find_project()
    study = study_named(load_studies(project.root), args.study)
    store = named_store(project, args)
    for benchmark in study.benchmarks:
        found = plan(open_partition(project.root, study.name, benchmark, args.limit), store)
        line = f"{study.name} on {benchmark}: {found.questions_open} of {found.questions} questions open"
        if found.questions_open:
            line += (
                f"; to be asked now: {found.steps} steps, {found.scores} scores, and what follows from them"
            )
        print(line)
    return 0
