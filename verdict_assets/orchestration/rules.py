"""What must hold of tables beyond their own schema: no unit lost between them, and what the method promises.

Belongs here: rules as plain functions over rows. Each is applied twice: to a table as a temporary file, which
gets its name only if they hold (recipe.py, extraction.py), and to the files as they are, as a Dagster check
(checks.py). Does not: single columns (schemas), files that no rule can repair (the store's guard).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from verdict_assets.analysis.consensus import wide
from verdict_assets.errors import UserError
from verdict_assets.orchestration.setting import Setting
from verdict_assets.scenes.questions import KINDS
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.table import ROUNDING

# So many offending rows are shown; the count says how many there are.
FIRST = 5

_CELL = ["study", "benchmark", "strategy", "score_set"]
_STEP = ["study", "benchmark", "question_id", "node", "candidate"]
_JUDGED = [*_STEP, "score_set"]
# Columns of `main_comparison` that are sums of the column of that name in `outcomes`.
_SUMS = (
    "closed", "correct", "accepted_candidates", "judged_candidates", "fallback_steps", "judged_steps",
    "missing_scores",
)  # fmt: skip


class Tables(Protocol):
    """Rows in stored form by the name of their table."""

    def __getitem__(self, name: str, /) -> pd.DataFrame:
        """The rows of one table."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule on one table, which may read others.

    `broken` lists what breaks it, in words; nothing listed means that it holds.
    """

    name: str
    table: str
    reads: tuple[str, ...]
    meaning: str
    broken: Callable[[Setting, Tables], list[str]]


def require(setting: Setting, table: str, tables: Tables, there: Collection[str]) -> None:
    """Hold new rows of a table to every rule on it that needs no other table than those that are there.

    Raises:
        UserError: a rule is broken; all that are, with the first rows.
    """
    rules = [rule for rule in RULES if rule.table == table and {*rule.reads, table} <= {*there, table}]
    faults = {rule.meaning: rule.broken(setting, tables) for rule in rules}
    told = [f"not so: {meaning} {in_words(broken)}" for meaning, broken in faults.items() if broken]
    if told:
        raise UserError(
            f"new rows of {table} break a rule, so the file stays what it was\n" + "\n".join(told),
            remedy="mend the code that made these rows, or what it reads; derived tables are not edited",
        )


def in_words(broken: Sequence[str]) -> str:
    """How many rows break a rule, and the first of them."""
    return f"({len(broken)}: {'; '.join(broken[:FIRST])})"


def scores_out_of_range(_setting: Setting, tables: Tables) -> list[str]:
    """Scores outside [0, 1], and missing ones without a reason or present ones with one."""
    scores = tables["raw_scores"]
    there = scores["score"].notna()
    outside = there & ~scores["score"].between(0.0, 1.0)
    unexplained = there == scores["reason"].notna()
    return _shown(
        scores[outside | unexplained], "question_id", "node", "candidate", "judge", "score", "reason"
    )


def scores_of_nothing(_setting: Setting, tables: Tables) -> list[str]:
    """Judges' replies about a candidate that was never drawn."""
    judged = tables["raw_scores"][_STEP].drop_duplicates()
    both = judged.merge(tables["candidates"][_STEP], how="left", on=_STEP, indicator="found")
    return _shown(both[both["found"] != "both"], "question_id", "node", "candidate")


def answers_nowhere(_setting: Setting, tables: Tables) -> list[str]:
    """Answers at a leaf to which no candidate leads."""
    key = ["study", "benchmark", "question_id", "node"]
    drawn = tables["candidates"]
    leaves = drawn[drawn["child_end"].notna()].rename(columns={"node": "at", "child": "node"})
    both = tables["answers"][key].merge(leaves[key].drop_duplicates(), how="left", on=key, indicator="found")
    return _shown(both[both["found"] != "both"], "question_id", "node")


def lost_partitions(setting: Setting, tables: Tables) -> list[str]:
    """(study, benchmark, table) that the manifest lacks or has too much."""
    partitioned = [name for name, table in TABLES.items() if table.partitioned]
    expected = {(*pair, name) for pair in setting.pairs for name in partitioned}
    key = ["study", "benchmark", "table_name"]
    found = set(tables["score_manifest"][key].itertuples(index=False, name=None))
    return sorted(", ".join(map(str, row)) for row in expected ^ found)


def lost_labels(_setting: Setting, tables: Tables) -> list[str]:
    """Candidate steps with a text whose truth is known and that have no label, or the other way round."""
    drawn = tables["candidates"]
    known = drawn["benchmark"].isin(list(KINDS)) & (drawn["text"].str.strip() != "")
    labelled = tables["step_labels"][_STEP]
    both = drawn.loc[known, _STEP].merge(labelled, how="outer", on=_STEP, indicator="found")
    return _shown(both[both["found"] != "both"], "question_id", "node", "candidate", "found")


def lost_scores(_setting: Setting, tables: Tables) -> list[str]:
    """Candidates with a judge's reply that have no row in `consensus`, or the other way round."""
    judged = tables["raw_scores"][_JUDGED].drop_duplicates()
    both = judged.merge(tables["consensus"][_JUDGED], how="outer", on=_JUDGED, indicator="found")
    return _shown(both[both["found"] != "both"], "question_id", "node", "candidate", "found")


def moved_sums(setting: Setting, tables: Tables) -> list[str]:
    """Candidates whose sum of stubbornness x score is another before and after the consensus."""
    broken = []
    agreed = tables["consensus"]
    for name, study in setting.studies.items():
        judges = [judge.name for judge in study.judges]
        weights = np.array([setting.params.consensus.stubbornness[judge] for judge in judges])
        mine = agreed[(agreed["study"] == name) & agreed["complete"]].set_index(_JUDGED)
        raw = wide(tables["raw_scores"][tables["raw_scores"]["study"] == name], judges).reindex(mine.index)
        before = raw.to_numpy(dtype=np.float64) @ weights
        adjusted = [row if len(row) == len(judges) else [np.nan] * len(judges) for row in mine["adjusted"]]
        after = np.array(adjusted, dtype=np.float64).reshape(len(mine), len(judges)) @ weights
        differs = ~(np.abs(before - after) <= ROUNDING * weights.sum())
        shown = mine[differs].reset_index().assign(before=before[differs], after=after[differs])
        broken += _shown(shown, "question_id", "node", "candidate", "before", "after")
    return broken


def lost_questions(setting: Setting, tables: Tables) -> list[str]:
    """Strategies whose outcomes are not exactly one a question that the study asks."""
    questions = tables["questions"]
    rows = tables["outcomes"].groupby(_CELL).size()
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


def closed_without_leaf(_setting: Setting, tables: Tables) -> list[str]:
    """Closed outcomes that do not stand at a leaf with its answer, and open ones that do."""
    leaves = tables["answers"].rename(columns={"node": "leaf", "correct": "known"})
    key = ["study", "benchmark", "question_id", "leaf"]
    both = tables["outcomes"].merge(leaves[[*key, "known"]], how="left", on=key)
    reached = both["known"].notna() & both["end"].notna()
    right = both["correct"].eq(both["known"]).fillna(False).astype(bool)
    as_said = both["closed"] == reached
    return _shown(
        both[~as_said | (both["closed"] & ~right)], "question_id", "strategy", "score_set", "closed", "leaf"
    )


def broken_paths(_setting: Setting, tables: Tables) -> list[str]:
    """Outcomes whose number of steps is not the number of their rows in `selections`."""
    key = [*_CELL, "question_id"]
    steps = tables["selections"].groupby(key).size().rename("rows").reset_index()
    both = tables["outcomes"].merge(steps, how="left", on=key)
    return _shown(both[both["steps"] != both["rows"].fillna(0)], "question_id", "strategy", "steps", "rows")


def wrong_totals(_setting: Setting, tables: Tables) -> list[str]:
    """Cells of the comparison whose counts are not the sums over their outcomes."""
    outcomes = tables["outcomes"].astype({"closed": "int64", "correct": "boolean"})
    grouped = outcomes.fillna({"correct": False}).astype({"correct": "int64"}).groupby(_CELL)
    sums = grouped[list(_SUMS)].sum().assign(questions=grouped.size()).reset_index()
    names = ["questions", *_SUMS]
    both = tables["main_comparison"][[*_CELL, *names]].merge(
        sums, how="outer", on=_CELL, suffixes=("", "_of_outcomes")
    )
    broken = []
    for name in names:
        summed = f"{name}_of_outcomes"
        differs = both[name].fillna(-1).astype("int64") != both[summed].fillna(-1).astype("int64")
        broken += _shown(both[differs], *_CELL, name, summed)
    return broken


def _shown(rows: pd.DataFrame, *columns: str) -> list[str]:
    """Each row in words: `question_id q1, steps 3`."""
    return list(_each_shown(rows, columns))


def _each_shown(rows: pd.DataFrame, columns: Sequence[str]) -> Iterator[str]:
    for values in rows[list(columns)].itertuples(index=False):
        yield ", ".join(f"{name} {value}" for name, value in zip(columns, values, strict=True))


RULES = (
    Rule(
        "scores_in_range",
        "raw_scores",
        (),
        "Every score is in [0, 1], or missing with a reason.",
        scores_out_of_range,
    ),
    Rule(
        "scores_have_candidates",
        "raw_scores",
        ("candidates",),
        "Every judged candidate was drawn.",
        scores_of_nothing,
    ),
    Rule(
        "answers_have_leaves",
        "answers",
        ("candidates",),
        "Every answer stands at a leaf to which a candidate leads.",
        answers_nowhere,
    ),
    Rule(
        "no_lost_partitions",
        "score_manifest",
        (),
        "Every partition of every study is listed, and nothing else is.",
        lost_partitions,
    ),
    Rule(
        "no_lost_labels",
        "step_labels",
        ("candidates",),
        "Every step whose truth is known has its label, and nothing else has.",
        lost_labels,
    ),
    Rule(
        "no_lost_scores",
        "consensus",
        ("raw_scores",),
        "Every judged candidate has its consensus, and nothing else has.",
        lost_scores,
    ),
    Rule(
        "weighted_sum_preserved",
        "consensus",
        ("raw_scores",),
        "The sum of stubbornness x score over the judges is the same before and after the consensus.",
        moved_sums,
    ),
    Rule(
        "no_lost_questions",
        "outcomes",
        ("questions",),
        "Every strategy has one outcome for every question asked.",
        lost_questions,
    ),
    Rule(
        "closed_questions_reach_a_leaf",
        "outcomes",
        ("answers",),
        "Every closed question stands at a leaf with its answer, and no open one does.",
        closed_without_leaf,
    ),
    Rule(
        "paths_have_all_steps",
        "outcomes",
        ("selections",),
        "Every path has as many selections as steps.",
        broken_paths,
    ),
    Rule(
        "totals_are_sums",
        "main_comparison",
        ("outcomes",),
        "Every cell's counts are the sums over its outcomes.",
        wrong_totals,
    ),
)
