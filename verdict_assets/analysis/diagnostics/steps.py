"""What became of steps and chains: how often each rule for odd ones applied, and how many steps are true.

Belongs here: counts over the whole recorded tree, so that no odd case hides on a path nobody reports. Does
not belong here: how such cases are treated (rollout).
"""

from __future__ import annotations

import re

import pandas as pd

from verdict_assets.analysis.diagnostics.metric import Metric, ratio, share
from verdict_assets.analysis.diagnostics.rows import World

# A heading, a line that is bold from end to end, or an announcement: it states nothing that could be judged.
_HEADING = re.compile(r"\s*(#+ .*|\*\*[^*]*\*\*:?|[^.?!]*:)\s*")
_ENDS = ("eos", "cap", "loop", "empty")


def measure(world: World, reference: str, confidence: float) -> list[Metric]:
    """Counts over all recorded candidates and leaves, and the truth of steps on the reference path."""
    judged = world.judged_on_path(reference)
    readable = judged[judged["readable"]]
    return [
        share("step_unreadable", ~judged["readable"], judged["question_id"], confidence),
        share("step_true_of_scene", readable["true_of_scene"], readable["question_id"], confidence),
        share("step_follows", readable["follows"], readable["question_id"], confidence),
        share("step_sound", readable["sound"], readable["question_id"], confidence),
        *_candidates(world.steps),
        *_leaves(world.answers),
    ]


def _candidates(steps: pd.DataFrame) -> list[Metric]:
    every = len(steps)
    heading = sum(_HEADING.fullmatch(text) is not None for text in steps["text"] if isinstance(text, str))
    return [
        ratio("candidates_truncated", int((steps["state"] == "truncated").sum()), every),
        ratio("candidates_empty", int((steps["state"] == "empty").sum()), every),
        ratio("candidates_refused", int((steps["state"] == "refused").sum()), every),
        ratio("candidates_after_blank_lines", int((steps["blank_lines"] > 0).sum()), every),
        ratio("candidates_heading_only", heading, every),
        ratio("candidates_repeated", _repeated(steps), every),
    ]


def _repeated(steps: pd.DataFrame) -> int:
    """Candidates whose text an earlier one of the same node had; judged once, kept as duplicates."""
    return int(steps.duplicated(["node", "text"]).sum())


def _leaves(answers: pd.DataFrame) -> list[Metric]:
    every = len(answers)
    ends = [ratio(f"leaves_{end}", int((answers["end"] == end).sum()), every) for end in _ENDS]
    return [*ends, ratio("leaves_without_answer", int(answers["answer"].isna().sum()), every)]
