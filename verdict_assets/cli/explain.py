"""`verdict explain`: how one strategy answered one question, step by step.

Belongs here: finding the question and its recorded rows. Does not belong here: the path
(`analysis.explanation`) and its words (`reporting.explanation`).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verdict_assets.config.params import load_params
from verdict_assets.config.paths import Project, find_project
from verdict_assets.config.studies import StudySpec, load_studies, study_named
from verdict_assets.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

NAME = "explain"
HELP = "show how a strategy chose every step of its answer to one question"
_LISTED = 8
_REMEDY = (
    "make the tables first: `make demo`, or dagster job execute -m verdict_assets.definitions -j recompute"
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question that was meant."""

    benchmark: str
    question_id: str
    question: str
    options: tuple[str, ...]
    gold: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the question and which path through it is meant."""
    parser.add_argument("question", help="id of a question, or a beginning that only one id has")
    parser.add_argument("--strategy", default="verdict", help="strategy to follow (default: verdict)")
    parser.add_argument("--study", default="main", help="study whose models are meant (default: main)")
    parser.add_argument("--benchmark", help="benchmark of the question, where the id alone does not say it")
    parser.add_argument("--score-set", help="judge scores to use (default: the study's first set)")


def run(args: argparse.Namespace) -> int:
    """Print the path.

    Raises:
        UserError: the study, strategy, score set or question does not exist, or nothing was recorded for it.
    """
    from verdict_assets.analysis.explanation import explain
    from verdict_assets.analysis.replays import strategies_of
    from verdict_assets.analysis.trees import Recorded
    from verdict_assets.reporting.explanation import text

    project = find_project()
    params = load_params(project.root)
    study = study_named(load_studies(project.root), args.study)
    strategies = strategies_of(study, params)
    strategy = _one_of(args.strategy, tuple(strategies), "strategy")
    sets = tuple(score_set.name for score_set in study.score_sets)
    score_set = _one_of(args.score_set or sets[0], sets, "score set")
    asked = _asked(project, study, args.question, args.benchmark)
    recorded = Recorded(
        *(_rows(project, name, study.name, asked) for name in ("candidates", "raw_scores", "answers"))
    )
    if recorded.candidates.empty:
        raise UserError(
            f"nothing is recorded for question {asked.question_id}",
            where=f"study {study.name}, benchmark {asked.benchmark}",
            remedy="ask the models with the job `rollout`, or choose a question that the study asks",
        )
    judges = tuple(judge.name for judge in study.judges)
    found = explain(recorded, asked.question_id, strategies[strategy], score_set, judges, params.candidates)
    print(_heading(study, asked))
    print(text(found), end="")
    return 0


def _one_of(name: str, known: Sequence[str], what: str) -> str:
    if name not in known:
        raise UserError(f"there is no {what} {name!r}", remedy=f"use one of: {', '.join(sorted(known))}")
    return name


def _asked(project: Project, study: StudySpec, wanted: str, benchmark: str | None) -> _Asked:
    """The one question of the study whose id is, or begins with, `wanted`; an exact id wins."""
    benchmarks = list(study.benchmarks)
    if benchmark is not None:
        benchmarks = [_one_of(benchmark, benchmarks, "benchmark in this study")]
    rows = _query(
        project.table("questions"),
        "SELECT benchmark, question_id, question, options, gold FROM read_parquet($path) "
        "WHERE starts_with(question_id, $wanted) AND list_contains($benchmarks, benchmark) "
        "ORDER BY benchmark, position",
        {"wanted": wanted, "benchmarks": benchmarks},
    )
    columns = (
        rows[column].tolist() for column in ("benchmark", "question_id", "question", "options", "gold")
    )
    found = [
        _Asked(name, key, text, tuple(options), gold)
        for name, key, text, options, gold in zip(*columns, strict=True)
    ]
    exact = [asked for asked in found if asked.question_id == wanted]
    found = exact or found
    if len(found) == 1:
        return found[0]
    where = f"study {study.name}, {', '.join(benchmarks)}"
    if not found:
        raise UserError(
            f"no question has an id that begins with {wanted!r}",
            where=where,
            remedy="see: verdict show questions",
        )
    listed = ", ".join(f"{asked.question_id} ({asked.benchmark})" for asked in found[:_LISTED])
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    raise UserError(
        f"{len(found)} questions have an id that begins with {wanted!r}: {listed}{more}",
        where=where,
        remedy="give more of the id, or --benchmark",
    )


def _rows(project: Project, table: str, study: str, asked: _Asked) -> pd.DataFrame:
    """The rows of one question in one partitioned table."""
    return _query(
        project.partition(table, study, asked.benchmark),
        "FROM read_parquet($path) WHERE question_id = $question ORDER BY ALL",
        {"question": asked.question_id},
    )


def _query(path: Path, sql: str, values: dict[str, object]) -> pd.DataFrame:
    import duckdb

    from verdict_assets.schemas.parquet import connect

    if not path.is_file():
        raise UserError("a table is not there", where=str(path), remedy=_REMEDY)
    try:
        with connect() as connection:
            return connection.execute(sql, {"path": str(path), **values}).df()
    except duckdb.Error as error:
        raise UserError(
            f"a table cannot be read: {error}", where=str(path), remedy="delete the file, then: " + _REMEDY
        ) from error


def _heading(study: StudySpec, asked: _Asked) -> str:
    options = "   ".join(f"({'ABCDEFGH'[at]}) {option}" for at, option in enumerate(asked.options))
    return (
        f"{asked.question_id}, benchmark {asked.benchmark}, study {study.name}\n"
        f"{asked.question}\n{options}\nright answer: {asked.gold}\n"
    )
