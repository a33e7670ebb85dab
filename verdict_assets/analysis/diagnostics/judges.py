"""What judges say: values in use, unanimity, agreement, and how well scores tell sound steps from others.

Belongs here: properties of raw scores. Does not belong here: rules that choose by them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from verdict_assets.analysis.diagnostics.metric import Metric, auc, ratio, share
from verdict_assets.analysis.diagnostics.rows import World
from verdict_assets.analysis.statistics.correlation import pearson
from verdict_assets.verification.consensus import mean_over_judges

# What each judge is asked about, as far as the oracle knows it.
_OWN_TRUTH = {"visual": "true_of_scene", "logical": "follows", "contextual": "relevant"}


def measure(world: World, reference: str, confidence: float) -> list[Metric]:
    """Metrics over the candidates at the judged steps of the `reference` strategy's path.

    Candidates that lack a judge's score are left out of unanimity, agreement and AUC, unreadable ones out
    of AUC; how many there are is counted beside them.
    """
    judged = world.judged_on_path(reference)
    complete = judged.dropna(subset=list(world.judges))
    return [
        *_values(judged, world.judges),
        _unanimous(complete, world.judges, confidence),
        *_missing(world),
        *_agreement(complete, world.judges),
        *_discrimination(complete[complete["readable"]], world.judges, confidence),
    ]


def _values(judged: pd.DataFrame, judges: Sequence[str]) -> list[Metric]:
    """Number of score values in use, and how often each judge gave each of them."""
    found: list[Metric] = []
    everything: set[float] = set()
    for judge in judges:
        counts = judged[judge].dropna().value_counts().sort_index()
        everything |= set(counts.index)
        found.append(Metric(f"score_values_{judge}", len(counts)))
        total = int(counts.sum())
        found += [ratio(f"score_{judge}_{value:.4g}", int(hits), total) for value, hits in counts.items()]
    return [Metric("score_values", len(everything)), *found]


def _unanimous(complete: pd.DataFrame, judges: Sequence[str], confidence: float) -> Metric:
    """Candidates to which every judge gave the same score: there dispersion is nothing."""
    scores = complete[list(judges)].to_numpy(dtype=np.float64)
    same = (scores == scores[:, :1]).all(axis=1)
    return share("unanimous", same.tolist(), complete["question_id"], confidence)


def _missing(world: World) -> list[Metric]:
    """Replies of the whole recorded tree from which no score could be read."""
    found = []
    for judge in world.judges:
        replies = world.replies[world.replies["judge"] == judge]
        found.append(ratio(f"score_missing_{judge}", int(replies["score"].isna().sum()), len(replies)))
    return found


def _agreement(complete: pd.DataFrame, judges: Sequence[str]) -> list[Metric]:
    """The correlation matrix of the judges, one metric a pair; no value where a judge never varies."""
    return [
        Metric(f"correlation_{one}_{two}", pearson(complete[one].tolist(), complete[two].tolist()))
        for one, two in itertools.combinations(judges, 2)
    ]


def _discrimination(readable: pd.DataFrame, judges: Sequence[str], confidence: float) -> list[Metric]:
    """AUC of the raw mean and of each judge against the truth of the step."""
    scores = readable[list(judges)].to_numpy(dtype=np.float64)
    columns = {"mean": mean_over_judges(scores)} | {judge: scores[:, at] for at, judge in enumerate(judges)}
    wanted = [("mean", truth) for truth in ("sound", "true_of_scene", "follows")]
    wanted += [(judge, "sound") for judge in judges]
    wanted += [(judge, _OWN_TRUTH[judge]) for judge in judges if judge in _OWN_TRUTH]
    questions = [str(question) for question in readable["question_id"]]
    return [
        auc(
            f"auc_{score}_{truth}",
            columns[score],
            readable[truth].to_numpy(dtype=np.bool_),
            questions,
            confidence,
        )
        for score, truth in wanted
    ]
