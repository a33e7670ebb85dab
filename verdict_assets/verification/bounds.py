"""Accuracy between bounds: what a cell that is not closed can still become.

Belongs here: the two extreme fillings of unfinished questions. Does not belong here: intervals for chance
(analysis).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verdict_assets.verification.records import Outcomes
from verdict_assets.verification.tree import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Bounds:
    """One row per walker, by position; NaN accuracies where there is no question."""

    questions: IntArray
    closed: IntArray
    correct: IntArray  # of the closed ones
    lower: FloatArray  # accuracy if every unfinished question turns out wrong
    upper: FloatArray  # accuracy if every unfinished question turns out right


def bounds(outcomes: Outcomes, walkers: int) -> Bounds:
    """Questions, closed and correct ones of each of `walkers` walkers, and bounds on its accuracy."""

    def count(rows: IntArray) -> IntArray:
        return np.bincount(rows, minlength=walkers)

    questions = count(outcomes.walker)
    closed = count(outcomes.walker[outcomes.closed])
    correct = count(outcomes.walker[outcomes.correct])
    of = np.where(questions > 0, questions, np.nan)
    return Bounds(questions, closed, correct, correct / of, (correct + questions - closed) / of)
