"""`verdict train`: make the weights of a model of the scenes world from its recipe, from scratch.

Belongs here: the arguments and where the files go. Does not: how training works (`scenes.train`).
"""

import argparse

from verdict_assets.config.paths import find_project
from verdict_assets.errors import UserError

NAME = "train"
HELP = "Train a model of the scenes world from experiments/<model>.yaml; goes on where a killed run stopped."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `verdict train`."""
    parser.add_argument("model", help="a recipe of experiments/, without its suffix")
    parser.add_argument(
        "--install", action="store_true", help="put the result into data/weights/, replacing what is there"
    )


def run(args: argparse.Namespace) -> int:
    """Train to the end, then export the model folder."""
    try:
        from verdict_assets.scenes.train.recipe import load_recipe
        from verdict_assets.scenes.train.run import train
    except ModuleNotFoundError as error:
        raise UserError(
            f"training needs the package {error.name!r}, which this environment lacks",
            remedy="use an environment with torch: make test-models builds .venv-models",
        ) from error
    project = find_project()
    work = project.data / "training" / args.model
    out = project.weights / args.model if args.install else work / "export"
    train(load_recipe(project.root / "experiments" / f"{args.model}.yaml"), work, out)
    print(f"the model lies in {out}")
    return 0
