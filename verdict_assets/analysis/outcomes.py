"""Table `outcomes`: where every strategy's path ended on every question, and what it counted on the way.

Belongs here: the columns of that table. Does not belong here: sums over questions (`main_comparison`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from verdict_assets.analysis.replays import StudyReplay, replays
from verdict_assets.analysis.trees import Recorded
from verdict_assets.config.params import Params
from verdict_assets.config.studies import StudySpec
from verdict_assets.verification.tree import End

_KEY = ["study", "benchmark", "strategy", "score_set", "question_id"]


def build(
    candidates: pd.DataFrame,
    raw_scores: pd.DataFrame,
    answers: pd.DataFrame,
    questions: pd.DataFrame,
    *,
    studies: Mapping[str, StudySpec],
    params: Params,
) -> pd.DataFrame:
    """One row per declared strategy, score set and question that the study asks, in the order of the key.

    A question whose path is unfinished has `closed` False, null in leaf, answer, correct and end, and
    counts that run as far as the recorded tree allows.
    """
    recorded = Recorded(candidates, raw_scores, answers)
    parts = [
        _rows(walk, _letters(recorded.of(walk.study, walk.benchmark).answers))
        for walk in replays(recorded, questions, studies, params)
    ]
    return pd.concat(parts, ignore_index=True).sort_values(_KEY, kind="stable", ignore_index=True)


def _letters(answers: pd.DataFrame) -> dict[str, str | None]:
    """Leaf -> option letter, None where no answer could be read."""
    return {
        str(node): letter if isinstance(letter, str) else None
        for node, letter in zip(answers["node"], answers["answer"], strict=True)
    }


def _rows(walk: StudyReplay, letters: Mapping[str, str | None]) -> pd.DataFrame:
    ends = walk.replay.outcomes
    names = np.array([strategy.name for strategy, _ in walk.replay.walkers], dtype=object)
    sets = np.array([score_set for _, score_set in walk.replay.walkers], dtype=object)
    leaves = [int(leaf) if closed else None for leaf, closed in zip(ends.leaf, ends.closed, strict=True)]
    nodes = [None if leaf is None else walk.tree.ids[leaf] for leaf in leaves]
    return pd.DataFrame(
        {
            "study": walk.study,
            "benchmark": walk.benchmark,
            "strategy": names[ends.walker],
            "score_set": sets[ends.walker],
            "question_id": np.array(walk.tree.questions, dtype=object)[ends.question],
            "closed": ends.closed,
            "leaf": pd.Series(nodes, dtype="object"),
            "answer": pd.Series([None if node is None else letters[node] for node in nodes], dtype="object"),
            "correct": pd.Series(ends.correct, dtype="boolean").where(pd.Series(ends.closed)),
            "end": pd.Series([_end(walk, leaf) for leaf in leaves], dtype="object"),
            "steps": ends.steps,
            "judged_steps": ends.judged_steps,
            "fallback_steps": ends.fallback_steps,
            "judged_candidates": ends.judged_candidates,
            "accepted_candidates": ends.accepted_candidates,
            "missing_scores": ends.missing_scores,
        }
    )


def _end(walk: StudyReplay, leaf: int | None) -> str | None:
    return None if leaf is None else End(int(walk.tree.end[leaf])).name.lower()
