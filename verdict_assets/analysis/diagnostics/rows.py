"""The recorded rows of one study on one benchmark, joined once for all diagnostics.

Belongs here: selecting and joining. Does not belong here: measuring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from verdict_assets.analysis.consensus import wide

STEP = ["question_id", "node", "candidate"]


@dataclass(frozen=True, slots=True)
class World:
    """All frames are of one study and one benchmark.

    `steps`: every recorded candidate with its labels and one raw score column per judge (NaN where
    missing), in the order of (question_id, node, candidate). A candidate without a label has `readable`
    False. `sound` says that it is true of the scene and follows from the steps before it; False where
    unreadable.
    """

    judges: tuple[str, ...]
    steps: pd.DataFrame
    replies: pd.DataFrame
    answers: pd.DataFrame
    selections: pd.DataFrame
    outcomes: pd.DataFrame

    def judged_on_path(self, strategy: str) -> pd.DataFrame:
        """The candidates at the judged steps of one strategy's own path.

        A closed tree holds more of the places that many rules visited; one rule's path weighs every
        question's steps once (spec row 44).
        """
        path = self.selections[self.selections["strategy"] == strategy]
        nodes = set(path["node"])
        return self.steps[self.steps["node"].isin(nodes) & (self.steps["depth"] > 0)]


def world(
    candidates: pd.DataFrame,
    raw_scores: pd.DataFrame,
    answers: pd.DataFrame,
    step_labels: pd.DataFrame,
    selections: pd.DataFrame,
    outcomes: pd.DataFrame,
    judges: Sequence[str],
) -> World:
    """Join frames that hold the rows of one study, one benchmark and one score set each."""
    labels = step_labels[[*STEP, "readable", "true_of_scene", "follows", "relevant"]]
    steps = candidates.merge(labels, on=STEP, how="left")
    for column in ("readable", "true_of_scene", "follows", "relevant"):
        steps[column] = steps[column].astype("boolean").fillna(False).astype(bool)
    steps["sound"] = steps["readable"] & steps["true_of_scene"] & steps["follows"]
    scores = wide(raw_scores, judges).reset_index()[[*STEP, *judges]]
    steps = steps.merge(scores, on=STEP, how="left").sort_values(STEP, kind="stable", ignore_index=True)
    return World(tuple(judges), steps, raw_scores, answers, selections, outcomes)
