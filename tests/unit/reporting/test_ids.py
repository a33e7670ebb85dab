"""Ids of numbers last: docs/ids.csv lists every one ever reported, and says of those that are gone why.

A new id is added by `VERDICT_UPDATE_SNAPSHOT=1 python -m pytest tests/unit/reporting/test_ids.py`. The line
of a renamed or retired one stays, and `became` and `why` are filled in by hand.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest

from verdict_assets.reporting.ledger.tables import build

ROOT = Path(__file__).parents[3]
LIST = ROOT / "docs" / "ids.csv"
FIELDS = ["id", "became", "why"]
RETIRED = "nothing"


def shapes(number: str) -> list[str]:
    """An id without what studies and data decide: study, benchmark, score set, score, kind of error."""
    table, row, column = number.split("/")
    if table == "main_comparison":
        _, _, strategy, _ = row.split(".")
        return [f"{table}/*/{column}", f"{table}/*.{strategy}.*/*"]
    if table == "world_diagnostics":
        return [f"{table}/*/{re.sub(r'(?<=_)[0-9.]+$|(?<=[.])[a-z_]+$', '*', column)}"]
    if table == "score_manifest":
        return [f"{table}/{'.'.join(['*', *row.split('.')[2:]])}/{column}"]
    return [f"{table}/*/{column}" if table == "studies" else number]


def listed() -> dict[str, dict[str, str]]:
    with LIST.open(encoding="utf-8", newline="") as file:
        return {line["id"]: line for line in csv.DictReader(file)}


def problems(known: dict[str, dict[str, str]], reported: set[str]) -> list[str]:
    """What breaks the promise that an id keeps its meaning, or that its successor is named."""
    current = {name for name, line in known.items() if not line["became"]}
    found = [f"{name}: is new; add it to the list" for name in reported - known.keys()]
    found += [f"{name}: is gone; say what became of it, or put it back" for name in current - reported]
    for name, line in known.items():
        if line["became"] and not line["why"]:
            found.append(f"{name}: says not why it changed")
        if line["became"] and name in reported:
            found.append(f"{name}: was given up and is used again")
        if line["became"] not in ("", RETIRED) and line["became"] not in reported:
            found.append(f"{name}: became {line['became']}, which is not reported")
    return sorted(found)


def ids(world) -> list[str]:
    manifest = pd.DataFrame(
        {
            "study": study, "benchmark": benchmark, "table_name": table, "rows": 1, "draft": False,
            "questions": 1, "questions_closed": 1,
        }
        for study, spec in world.studies.items()
        for benchmark in spec.benchmarks
        for table in ("candidates", "raw_scores", "answers", "judge_probe")
    )  # fmt: skip
    arguments = (world.comparison(), world.diagnostics(), manifest)
    return [entry.id for entry in build(*arguments, studies=world.studies, params=world.params)]


def all_shapes(numbers: Iterable[str]) -> set[str]:
    return {shape for number in numbers for shape in shapes(number)}


@pytest.fixture(scope="module")
def reported(closed_world, open_world) -> set[str]:
    return all_shapes([*ids(closed_world), *ids(open_world)])


def test_every_id_is_listed_and_none_is_gone_in_silence(reported: set[str]) -> None:
    if os.environ.get("VERDICT_UPDATE_SNAPSHOT"):
        known = listed() if LIST.is_file() else {}
        known |= {name: dict.fromkeys(FIELDS, "") | {"id": name} for name in reported - known.keys()}
        with LIST.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(known[name] for name in sorted(known))
    assert problems(listed(), reported) == []


def test_the_recorded_numbers_are_of_that_list() -> None:
    with (ROOT / "reports" / "numbers.csv").open(encoding="utf-8", newline="") as file:
        numbers = [line["id"] for line in csv.DictReader(file)]
    assert all_shapes(numbers) <= listed().keys()


def test_a_change_of_an_id_is_found(reported: set[str]) -> None:
    old, new = "main_comparison/*/acceptance", "main_comparison/*/accepted"
    known = listed()
    renamed = (reported - {old}) | {new}
    assert [line.split(":")[0] for line in problems(known, renamed)] == [old, new]
    blank = dict.fromkeys(FIELDS, "")
    known |= {new: blank | {"id": new}, old: {"id": old, "became": new, "why": "shorter"}}
    assert problems(known, renamed) == []
    assert problems(known, reported | {new}) == [f"{old}: was given up and is used again"]
    known[old] |= {"became": "main_comparison/*/elsewhere", "why": ""}
    assert len(problems(known, renamed)) == 2
    known[old] |= {"became": RETIRED, "why": "no one used it"}
    assert problems(known, renamed) == []
