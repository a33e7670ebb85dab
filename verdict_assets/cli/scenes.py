"""`verdict scenes`: write the question files of the scenes world, or show one question's picture.

Belongs here: the arguments. Does not: what a scene is (`scenes`).
"""

import argparse
from pathlib import Path

from verdict_assets.benchmarks.load import load_questions
from verdict_assets.benchmarks.truth import known_scenes
from verdict_assets.config.paths import find_project
from verdict_assets.errors import UserError
from verdict_assets.scenes.build import write_benchmark
from verdict_assets.scenes.questions import KINDS
from verdict_assets.scenes.world import png

NAME = "scenes"
HELP = "Write the benchmarks of the scenes world, or look at one of their questions."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `verdict scenes`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="build|show")
    build = actions.add_parser("build", help="write data/recorded/benchmarks/<benchmark>.parquet")
    build.add_argument("--questions", type=int, default=200, help="questions a benchmark (default 200)")
    show = actions.add_parser("show", help="print a question and save its picture")
    show.add_argument("question", help="a question id, like scenes_2d-0007")
    show.add_argument("--picture", type=Path, help="where to save the picture (PNG)")


def run(args: argparse.Namespace) -> int:
    """Build or show."""
    project = find_project()
    if args.action == "build":
        for benchmark in KINDS:
            print(write_benchmark(benchmark, args.questions, project.benchmarks))
        return 0
    benchmark = args.question.rpartition("-")[0]
    questions = (
        {q.question_id: q for q in load_questions(project.root, benchmark)} if benchmark in KINDS else {}
    )
    if args.question not in questions:
        raise UserError(
            f"there is no question {args.question!r}",
            remedy=f"ids look like {next(iter(KINDS))}-0007; benchmarks: {', '.join(KINDS)}",
        )
    question = questions[args.question]
    scene, _ = known_scenes(project.root, benchmark)[args.question]
    print(question.question)
    for letter, option in zip("ABCD", question.options, strict=True):
        print(f"  ({letter}) {option}{'   <- right' if letter == question.gold else ''}")
    for thing in scene.things:
        print(f"  {thing.name:16} column {thing.column}  row {thing.row}  depth {thing.depth}")
    if args.picture is not None:
        args.picture.write_bytes(png(scene))
        print(args.picture)
    return 0
