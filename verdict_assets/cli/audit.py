"""`verdict audit`: from a reported number back to raw replies, prompts and pictures; and is it still true?

Belongs here: arguments, and handing the project's tables to the audit. Does not: comparing and describing
(`reporting/audit`), computing (`orchestration/afresh.py`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from verdict_assets.config.paths import find_project

if TYPE_CHECKING:
    from verdict_assets.reporting.audit.chain import Chain
    from verdict_assets.reporting.audit.changes import Change
    from verdict_assets.reporting.audit.reported import Difference
    from verdict_assets.rollout.trail import Call

NAME = "audit"
HELP = "walk a reported number back to raw replies, and check that nothing changed on the way"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which numbers, and how far."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("number", nargs="?", help="id of a number, as in reports/numbers.csv")
    which.add_argument("--all", action="store_true", help="check every number instead, and print no chain")
    parser.add_argument(
        "--questions", action="store_true", help="also print what was answered to each question"
    )
    parser.add_argument(
        "--verify", action="store_true", help="compute the number again from the stored answers, and compare"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.epilog = (
        "Exit status 1 if something that a number rests on was changed, or a computed number is not the "
        "reported one. Needs the report and the store alone: no table, no Dagster history."
    )


def run(args: argparse.Namespace) -> int:
    """Audit and print.

    Raises:
        UserError: there is no report, or no number with that id.
    """
    from verdict_assets.orchestration.auditing import open_audit
    from verdict_assets.reporting.audit.reported import named

    audit = open_audit(find_project())
    number = None if args.all else named(audit.rows, args.number)["id"]
    changes = list(audit.changes) if number is None else audit.touching(number)
    refused = any(change.refused for change in changes)
    verified = args.verify and not refused
    made = None if refused or (args.all and not verified) else audit.afresh(number)
    changes += audit.moved(made) if made is not None else []
    differing = audit.differences(made, number) if verified else []
    touched = {change: numbers for change, numbers in audit.touched(changes).items() if numbers}
    chain = None if number is None or refused else audit.chain(number, made)
    if args.json:
        facts = _chain_as_json(chain, args.questions) if chain is not None else {}
        facts |= {"numbers": list(audit.rows) if number is None else [number]}
        facts |= {"changes": _as_json(touched), "differences": [asdict(one) for one in differing]}
        print(json.dumps({**facts, "verified": verified}, indent=2, ensure_ascii=False))
    else:
        count = len(audit.rows) if number is None else 1
        _print(chain, touched, differing, count, verified=verified, questions=args.questions)
    return 1 if touched or differing else 0


def _print(
    chain: tuple[Chain, list[Call]] | None,
    touched: Mapping[Change, Sequence[str]],
    differing: Sequence[Difference],
    count: int,
    *,
    verified: bool,
    questions: bool,
) -> None:
    from verdict_assets.reporting.audit import text

    if chain is not None:
        print(text.chain(*chain, questions=questions))
    for line in (*text.findings(touched), *text.differences(differing)):
        print(line)
    print(text.summary(count, touched, differing, verified=verified))


def _chain_as_json(chain: tuple[Chain, list[Call]], questions: bool) -> dict[str, object]:
    found, calls = chain
    shown = found if questions else replace(found, questions=())
    return {**asdict(shown), "calls": [asdict(call) for call in calls]}


def _as_json(touched: Mapping[Change, Sequence[str]]) -> list[dict[str, object]]:
    """Every change with the numbers that it touches; not the bases, which say the same less plainly."""
    shown = ("kind", "name", "before", "after", "refused")
    return [
        {**{name: getattr(change, name) for name in shown}, "touches": list(numbers)}
        for change, numbers in touched.items()
    ]
