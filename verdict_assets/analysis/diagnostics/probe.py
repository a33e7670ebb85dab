"""What the judge probe shows: do judges tell right steps from each kind of error, trained or held out?

Belongs here: numbers over steps whose truth was made, at true prefixes. Does not belong here: the same
questions about the steps that models wrote (`judges`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from verdict_assets.analysis.diagnostics.metric import Metric, auc, ratio
from verdict_assets.verification.consensus import mean_over_judges

RIGHT = "right"
"""The kind of steps that are not corrupted."""
TRAINED, HELD_OUT = "trained", "held_out"
"""Groups: all corruptions that the training of judges contained, and all that it did not. One kind of a group
is called `<group>.<kind>`."""
MEAN = "mean"
"""Stands for the unweighted mean over judges where a metric names a judge."""

_ITEM = ["question_id", "depth", "item", "kind", "held_out"]
_PLACE = ["question_id", "depth"]


def measure(judge_probe: pd.DataFrame, judges: Sequence[str], asked: int, confidence: float) -> list[Metric]:
    """Metrics of one study on one benchmark of `asked` questions.

    Without rows only `probe_questions`, which is then 0: not probed. Items that lack a judge's score are left
    out and counted in `probe_missing`. `probe_auc_<judge>_<errors>` compares errors of a group or of one kind
    with the right steps of the same places, so that no difference between places enters;
    `probe_score_<judge>_<steps>` is a mean score.
    """
    questions = ratio("probe_questions", int(judge_probe["question_id"].nunique()), asked)
    if judge_probe.empty:
        return [questions]
    items = _items(judge_probe, judges)
    known = items.dropna(subset=list(judges)).reset_index(drop=True)
    known[MEAN] = mean_over_judges(known[list(judges)].to_numpy(dtype=np.float64))
    return [
        questions,
        ratio("probe_missing", len(items) - len(known), len(items)),
        *_discrimination(known, [MEAN, *judges], confidence),
        *_levels(known, [MEAN, *judges]),
    ]


def _items(judge_probe: pd.DataFrame, judges: Sequence[str]) -> pd.DataFrame:
    """One row per item, in order, with a column of scores per judge, NaN where one is missing."""
    items = judge_probe[_ITEM].drop_duplicates().sort_values(["question_id", "item"], ignore_index=True)
    for judge in judges:
        mine = judge_probe[judge_probe["judge"] == judge]
        scores = pd.Series(
            mine["score"].to_numpy(dtype=np.float64, na_value=np.nan),
            index=pd.MultiIndex.from_frame(mine[["question_id", "item"]]),
        )
        items[judge] = scores.reindex(pd.MultiIndex.from_frame(items[["question_id", "item"]])).to_numpy()
    return items


def _discrimination(known: pd.DataFrame, judges: Sequence[str], confidence: float) -> list[Metric]:
    right = (known["kind"] == RIGHT).to_numpy(dtype=np.bool_)
    found = []
    for name, chosen in _errors(known).items():
        cases = known[chosen | (right & _at_places_of(known, chosen))]
        truth = (cases["kind"] == RIGHT).to_numpy(dtype=np.bool_)
        questions = [str(question) for question in cases["question_id"]]
        found += [
            auc(f"probe_auc_{judge}_{name}", _column(cases, judge), truth, questions, confidence)
            for judge in judges
        ]
    return found


def _levels(known: pd.DataFrame, judges: Sequence[str]) -> list[Metric]:
    found = []
    right = (known["kind"] == RIGHT).to_numpy(dtype=np.bool_)
    for name, chosen in {RIGHT: right, **_errors(known)}.items():
        rows = known[chosen]
        for judge in judges:
            total = math.fsum(_column(rows, judge))
            value = total / len(rows) if len(rows) else None
            found.append(Metric(f"probe_score_{judge}_{name}", value, total, len(rows)))
    return found


def _errors(known: pd.DataFrame) -> dict[str, npt.NDArray[np.bool_]]:
    """Which rows belong to each group of errors and to each kind, by name, groups first."""
    kinds = known["kind"].to_numpy(dtype=object)
    held_out = known["held_out"].to_numpy(dtype=np.bool_)
    found = {TRAINED: (kinds != RIGHT) & ~held_out, HELD_OUT: (kinds != RIGHT) & held_out}
    for group in (TRAINED, HELD_OUT):
        found |= {f"{group}.{kind}": kinds == kind for kind in sorted(set(kinds[found[group]]))}
    return found


def _at_places_of(known: pd.DataFrame, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which rows stand at a place where a chosen one stands too."""
    places = pd.MultiIndex.from_frame(known[_PLACE])
    return np.asarray(places.isin(places[chosen]), dtype=np.bool_)


def _column(rows: pd.DataFrame, judge: str) -> npt.NDArray[np.float64]:
    return rows[judge].to_numpy(dtype=np.float64)
