"""What must hold of the tables, as Dagster checks; the finding itself is a plain function over plain data.

Belongs here: rules that one schema cannot state, and the one check a table that its file has the schema.
Does not: refusing data (that is done where data are opened: recipe.py, the store's guard).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pandas as pd

from verdict_assets.orchestration.recipe import read_input
from verdict_assets.orchestration.resources import ProjectResource, told_to_the_user
from verdict_assets.orchestration.setting import Setting
from verdict_assets.reporting.pages.digits import stray_digits
from verdict_assets.reporting.report import PAGE
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import connect
from verdict_assets.schemas.table import Table

SCHEMA_CHECK = "schema"
# So many offending rows are shown; the count says how many there are.
_FIRST = 5


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule over tables. `broken` lists what breaks it, in words; nothing listed means that it holds."""

    name: str
    asset: str
    meaning: str
    broken: Callable[[Setting], list[str]]


def schema_problems(table: Table, path: Path) -> list[str]:
    """Differences between the columns of a file and the schema."""
    with connect() as connection:
        found = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    actual = [(str(row[0]), str(row[1])) for row in found]
    expected = [(column.name, column.type.value) for column in table.columns]
    problems = [
        f"{name} {type_} is expected and not there" for name, type_ in expected if (name, type_) not in actual
    ]
    problems += [
        f"{name} {type_} is there and not expected" for name, type_ in actual if (name, type_) not in expected
    ]
    return problems if problems or actual == expected else ["the columns stand in another order"]


def schema_result(asset: str, table: Table, paths: Sequence[Path]) -> dg.AssetCheckResult:
    """The schema check of a table's files, emitted with the materialisation itself."""
    problems = [f"{path.name}: {problem}" for path in paths for problem in schema_problems(table, path)]
    return dg.AssetCheckResult(
        check_name=SCHEMA_CHECK,
        asset_key=asset,
        passed=not problems,
        metadata={"problems": "; ".join(problems)},
    )


def schema_spec(asset: str) -> dg.AssetCheckSpec:
    """Declares the schema check of an asset."""
    return dg.AssetCheckSpec(
        SCHEMA_CHECK,
        asset=asset,
        blocking=True,
        description="The file has the columns and types of the schema.",
    )


def scores_out_of_range(setting: Setting) -> list[str]:
    """Scores outside [0, 1], and missing ones without a reason or present ones with one."""
    scores = read_input(setting, TABLES["raw_scores"])
    there = scores["score"].notna()
    outside = there & ~scores["score"].between(0.0, 1.0)
    unexplained = there == scores["reason"].notna()
    return _shown(
        scores[outside | unexplained], "question_id", "node", "candidate", "judge", "score", "reason"
    )


def lost_scores(setting: Setting) -> list[str]:
    """Candidates with a judge's reply that have no row in `consensus`, or the other way round."""
    key = ["study", "benchmark", "question_id", "node", "candidate", "score_set"]
    judged = read_input(setting, TABLES["raw_scores"])[key].drop_duplicates()
    agreed = read_input(setting, TABLES["consensus"])[key]
    both = judged.merge(agreed, how="outer", on=key, indicator="found")
    return _shown(both[both["found"] != "both"], "question_id", "node", "candidate", "found")


def lost_questions(setting: Setting) -> list[str]:
    """Strategies whose outcomes are not exactly one a question that the study asks."""
    outcomes = read_input(setting, TABLES["outcomes"])
    questions = read_input(setting, TABLES["questions"])
    rows = outcomes.groupby(["study", "benchmark", "strategy", "score_set"]).size()
    problems = []
    for study, benchmark in setting.pairs:
        limit = setting.studies[study].benchmarks[benchmark]
        there = int((questions["benchmark"] == benchmark).sum())
        asked = there if limit is None else min(limit, there)
        for strategy, score_set in setting.studies[study].points:
            found = int(rows.get((study, benchmark, strategy, score_set), 0))
            if found != asked:
                problems.append(
                    f"{study}, {benchmark}, {strategy}, {score_set}: {found} of {asked} questions"
                )
    return problems


def broken_paths(setting: Setting) -> list[str]:
    """Outcomes whose number of steps is not the number of their rows in `selections`."""
    key = ["study", "benchmark", "strategy", "score_set", "question_id"]
    outcomes = read_input(setting, TABLES["outcomes"])
    steps = read_input(setting, TABLES["selections"]).groupby(key).size().rename("rows").reset_index()
    both = outcomes.merge(steps, how="left", on=key)
    return _shown(both[both["steps"] != both["rows"].fillna(0)], "question_id", "strategy", "steps", "rows")


def stray_digits_on_page(setting: Setting) -> list[str]:
    """Texts of the report's page with a digit that is no number of the ledger."""
    page = setting.project.reports / PAGE
    return [f"digit outside the ledger: {text}" for text in stray_digits(page.read_text("utf-8"))]


def _shown(rows: pd.DataFrame, *columns: str) -> list[str]:
    """Each row in words: `question_id q1, steps 3`."""
    return [
        ", ".join(f"{name} {value}" for name, value in zip(columns, values, strict=True))
        for values in rows[list(columns)].itertuples(index=False)
    ]


RULES = (
    Rule(
        "scores_in_range",
        "score_manifest",
        "Every score is in [0, 1], or missing with a reason.",
        scores_out_of_range,
    ),
    Rule(
        "no_lost_scores",
        "consensus",
        "Every judged candidate has its consensus, and nothing else has.",
        lost_scores,
    ),
    Rule(
        "no_lost_questions",
        "outcomes",
        "Every strategy has one outcome for every question asked.",
        lost_questions,
    ),
    Rule("paths_have_all_steps", "outcomes", "Every path has as many selections as steps.", broken_paths),
    Rule(
        "figures_are_rows",
        "report",
        "No digit stands on the page outside numbers of the ledger, code, times and axis ticks.",
        stray_digits_on_page,
    ),
)


def rule_checks() -> list[dg.AssetChecksDefinition]:
    """One Dagster check a rule."""
    return [_rule_check(rule) for rule in RULES]


def _rule_check(rule: Rule) -> dg.AssetChecksDefinition:
    # `paths_have_all_steps` reads selections, which Dagster must have made before.
    also = ["selections"] if rule.broken is broken_paths else []

    @dg.asset_check(asset=rule.asset, name=rule.name, description=rule.meaning, additional_deps=also)
    def check(project: ProjectResource) -> dg.AssetCheckResult:
        with told_to_the_user():
            broken = rule.broken(project.setting())
        return dg.AssetCheckResult(
            passed=not broken, metadata={"broken": len(broken), "first": "\n".join(broken[:_FIRST])}
        )

    return check
