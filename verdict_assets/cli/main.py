"""The entry point `verdict`: finds the verb, imports only its file, and turns user errors into one message.

Belongs here: the list of verbs and what all of them share. Does not: anything a verb does.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Protocol, cast

from verdict_assets import __version__
from verdict_assets.errors import UserError

VERBS = (
    "audit",
    "bundle",
    "consensus",
    "diff",
    "doctor",
    "explain",
    "freeze",
    "parse-scores",
    "plan",
    "probe",
    "rollout",
    "scenes",
    "serve",
    "show",
    "train",
)

USER_ERROR = 2


class Verb(Protocol):
    """What every file of this folder that implements a verb offers."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments on a parser of its own."""

    def run(self, args: argparse.Namespace) -> int:
        """Do the work and return the exit status."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; return its exit status (2 for an error of the user, as argparse does)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] not in VERBS:
        return _top_level(arguments)
    verb = load_verb(arguments[0])
    parser = argparse.ArgumentParser(prog=f"verdict {verb.NAME}", description=verb.HELP)
    verb.add_arguments(parser)
    try:
        return verb.run(parser.parse_args(arguments[1:]))
    except UserError as error:
        print(f"verdict {verb.NAME}: {error}", file=sys.stderr)
        return USER_ERROR
    except BrokenPipeError:
        # The reader (head, less) closed early; devnull keeps the interpreter's last flush from failing too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def load_verb(name: str) -> Verb:
    """Import the file of one verb, so that no verb pays for what another one needs."""
    return cast(Verb, importlib.import_module(f"verdict_assets.cli.{name.replace('-', '_')}"))


def _top_level(arguments: Sequence[str]) -> int:
    """`verdict`, `verdict --help`, `verdict --version`, or a verb that does not exist."""
    parser = argparse.ArgumentParser(
        prog="verdict", description="Step-wise verification by consensus of judges."
    )
    parser.add_argument("--version", action="version", version=f"verdict {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for name in VERBS:
        verbs.add_parser(name, help=load_verb(name).HELP)
    parser.parse_args(arguments)
    return 0
