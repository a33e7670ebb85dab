"""Table `consensus`: raw and adjusted statistics of every judged candidate at the default parameters.

Belongs here: the columns of that table. Does not belong here: the equilibrium (`verification.consensus`)
and the choice between candidates (`selections`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from verdict_assets.config.params import Params
from verdict_assets.config.studies import StudySpec
from verdict_assets.verification.consensus import consensus, dispersion_about, mean_over_judges, passes

_KEY = ["study", "benchmark", "question_id", "node", "candidate", "score_set"]
_NUMBERS = ("raw_mean", "raw_mad", "raw_variance", "mean", "dispersion")


def build(raw_scores: pd.DataFrame, studies: Mapping[str, StudySpec], params: Params) -> pd.DataFrame:
    """One row per (study, benchmark, question, node, candidate, score set) that any judge was asked about.

    Where a judge's score is missing, `complete` is False, all numbers are null and the candidate is not
    accepted (spec row 20). Rows in the order of the key. Rows of studies that are not given are left out.
    """
    parts = [
        _of_study(raw_scores[raw_scores["study"] == name], studies[name], params) for name in sorted(studies)
    ]
    return pd.concat(parts, ignore_index=True).sort_values(_KEY, kind="stable", ignore_index=True)


def _of_study(rows: pd.DataFrame, study: StudySpec, params: Params) -> pd.DataFrame:
    judges = [judge.name for judge in study.judges]
    scores = wide(rows, judges)
    table = scores.index.to_frame(index=False)
    values = scores.to_numpy(dtype=np.float64)
    known = ~np.isnan(values).any(axis=1)
    numbers, adjusted = _statistics(values[known], [params.consensus.stubbornness[judge] for judge in judges])
    table["complete"] = known
    for name in _NUMBERS:
        table[name] = _spread(numbers[name], known)
    lists = iter(adjusted.tolist())
    table["adjusted"] = pd.Series([next(lists) if there else None for there in known], dtype="object")
    table["accepted"] = passes(
        table["mean"].to_numpy(),
        table["dispersion"].to_numpy(),
        params.consensus.tau,
        params.consensus.epsilon,
    )
    return table


def wide(rows: pd.DataFrame, judges: Sequence[str]) -> pd.DataFrame:
    """Raw scores with one column per judge, NaN where missing, indexed by the key of `consensus`."""
    mine = rows[rows["judge"].isin(judges)]
    index = pd.MultiIndex.from_frame(
        mine[_KEY].astype({"candidate": "int64"}).drop_duplicates()
    ).sort_values()
    columns = {}
    for judge in judges:
        of_judge = mine[mine["judge"] == judge]
        key = pd.MultiIndex.from_frame(of_judge[_KEY].astype({"candidate": "int64"}))
        values = of_judge["score"].to_numpy(dtype=np.float64, na_value=np.nan)
        columns[judge] = pd.Series(values, index=key).reindex(index)
    return pd.DataFrame(columns, index=index)


def _statistics(
    values: npt.NDArray[np.float64], stubbornness: Sequence[float]
) -> tuple[dict[str, npt.NDArray[np.float64]], npt.NDArray[np.float64]]:
    """The numbers of complete candidates [k, m], and their adjusted scores [k, m]."""
    raw_mean = mean_over_judges(values)
    found = consensus(values, stubbornness)
    numbers = {
        "raw_mean": raw_mean,
        "raw_mad": dispersion_about(values, raw_mean),
        "raw_variance": mean_over_judges((values - raw_mean[:, np.newaxis]) ** 2),
        "mean": found.mean,
        "dispersion": found.dispersion,
    }
    return numbers, found.adjusted


def _spread(numbers: npt.NDArray[np.float64], known: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    column = np.full(len(known), np.nan)
    column[known] = numbers
    return column
