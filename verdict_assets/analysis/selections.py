"""Table `selections`: which candidate every strategy chose at every step of its own path.

Belongs here: the columns of that table. Does not belong here: the choice (`verification.decide`) and what a
whole path amounts to (`outcomes`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from verdict_assets.analysis.replays import StudyReplay, replays
from verdict_assets.analysis.trees import Recorded
from verdict_assets.config.params import Params
from verdict_assets.config.studies import StudySpec

_KEY = ["study", "benchmark", "strategy", "score_set", "question_id", "step"]


def build(
    candidates: pd.DataFrame,
    raw_scores: pd.DataFrame,
    answers: pd.DataFrame,
    questions: pd.DataFrame,
    *,
    studies: Mapping[str, StudySpec],
    params: Params,
) -> pd.DataFrame:
    """One row per step that a declared strategy took, unjudged ones included, in the order of the key."""
    recorded = Recorded(candidates, raw_scores, answers)
    parts = [_rows(walk) for walk in replays(recorded, questions, studies, params)]
    return pd.concat(parts, ignore_index=True).sort_values(_KEY, kind="stable", ignore_index=True)


def _rows(walk: StudyReplay) -> pd.DataFrame:
    picks = walk.replay.selections
    names = np.array([strategy.name for strategy, _ in walk.replay.walkers], dtype=object)
    sets = np.array([score_set for _, score_set in walk.replay.walkers], dtype=object)
    return pd.DataFrame(
        {
            "study": walk.study,
            "benchmark": walk.benchmark,
            "strategy": names[picks.walker],
            "score_set": sets[picks.walker],
            "question_id": np.array(walk.tree.questions, dtype=object)[picks.question],
            "step": picks.step,
            "node": np.array(walk.tree.ids, dtype=object)[picks.node],
            "chosen": picks.chosen,
            "accepted_count": picks.accepted_count,
            "fallback": picks.fallback,
            "tie": picks.tie,
            "incomplete": picks.incomplete > 0,
        }
    )
