"""`verdict parse-scores`: read judge replies as the pipeline reads them.

Belongs here: JSON lines in and out. Does not: the rules of reading, which are `inference/parse/score.py`.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TextIO

from verdict_assets.errors import UserError
from verdict_assets.inference.parse.score import parse_score

NAME = "parse-scores"
HELP = "Read JSON lines (text, finish_reason) from standard input; write each with score and reason."

_SHOWN_FAULTS = 20


class BadLine(ValueError):  # noqa: N818 - a line, described by its message
    """Why a line is no reply."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take no arguments: what cannot be set cannot differ from the pipeline."""
    parser.epilog = (
        "score is a number in [0, 1] or null; reason is null, or truncated, unfinished, empty, not_a_number "
        "or out_of_range. Other fields of a line are kept. Lines that are no such record are refused, with "
        "their numbers."
    )


def run(args: argparse.Namespace) -> int:
    """Filter standard input to standard output."""
    del args
    parse_lines(sys.stdin.buffer, sys.stdout)
    return 0


def parse_lines(lines: Iterable[bytes], out: TextIO) -> None:
    """Write each line with `score` and `reason`; blank lines are skipped.

    Raises UserError after the last line when any was refused, naming all of them. The good lines are written,
    so the output then has fewer lines than the input: the exit code has to be looked at.
    """
    faults: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = _record(line)
        except BadLine as error:
            faults.append(f"line {number}: {error}")
            continue
        out.write(json.dumps(record) + "\n")
    if faults:
        shown = faults[:_SHOWN_FAULTS]
        if len(faults) > len(shown):
            shown.append(f"and {len(faults) - len(shown)} more")
        raise UserError(
            f"lines refused ({len(faults)}):\n" + "\n".join(f"  {fault}" for fault in shown),
            where="standard input",
            remedy='give one JSON object a line, such as {"text": "0.8", "finish_reason": "stop"}',
        )


def _record(line: bytes) -> dict[str, object]:
    try:
        record: object = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadLine(f"is not UTF-8 ({error.reason} at byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        raise BadLine(f"is not JSON ({error})") from error
    if not isinstance(record, dict):
        raise BadLine("is not a JSON object")
    text, finish_reason = _text(record, "text"), _text(record, "finish_reason")
    parsed = parse_score(text, finish_reason)
    return {**record, "score": parsed.score, "reason": parsed.reason}


def _text(record: dict[str, object], name: str) -> str:
    if name not in record:
        raise BadLine(f"has no field {name!r}")
    value = record[name]
    if not isinstance(value, str):
        raise BadLine(f"field {name!r} is not text")
    return value
