"""What a replay returns: columns of selections and outcomes, and the frontier of what is still needed.

Belongs here: the records and how pieces of them are put together. Does not belong here: the walk that fills
them (`walk`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from verdict_assets.verification.strategy import Strategy
from verdict_assets.verification.tree import BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class Selections:
    """One row per step that a walker took, ordered by walker, question, step.

    A walker is a position in the sequence of (strategy, score set) given to `replay`. Steps without judging
    (the first one, all of Base) have `judged` False, `chosen` 0 and zero counts.
    """

    walker: IntArray
    question: IntArray  # position in tree.questions
    step: IntArray  # depth of the node: steps already in the prefix
    node: IntArray  # node whose candidates were compared
    chosen: IntArray  # index of the chosen candidate
    judged: BoolArray
    accepted_count: IntArray  # candidates that passed the gate
    fallback: BoolArray  # none was accepted
    tie: BoolArray  # another candidate was within 1e-9 of the chosen one
    incomplete: IntArray  # candidates that lacked a score the strategy uses
    missing_scores: IntArray  # scores missing among those the strategy uses


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One row per walker and question, in that order; counts run over the path walked so far."""

    walker: IntArray
    question: IntArray  # position in tree.questions
    closed: BoolArray  # the walker reached a leaf and its answer is known
    leaf: IntArray  # leaf reached, -1 if none yet
    correct: BoolArray  # False where not closed
    steps: IntArray
    judged_steps: IntArray
    fallback_steps: IntArray
    judged_candidates: IntArray
    accepted_candidates: IntArray
    missing_scores: IntArray


@dataclass(frozen=True, slots=True)
class Frontier:
    """What walkers wait for: each need once, with the number of walkers that wait.

    Ordered by node, then score set. Empty exactly when every walker is closed on every question.
    """

    candidates: IntArray  # nodes whose candidates are needed
    candidates_count: IntArray  # how many of the first ones: 1 where only unjudged walkers wait, else n
    candidates_waiting: IntArray
    scores: tuple[tuple[int, str], ...]  # (node, score set) pairs whose scores are needed
    scores_waiting: IntArray
    answers: IntArray  # leaves whose answer is needed
    answers_waiting: IntArray

    def __len__(self) -> int:
        return len(self.candidates) + len(self.scores) + len(self.answers)


@dataclass(frozen=True, slots=True)
class Replay:
    """The walk of all walkers over all questions."""

    walkers: tuple[tuple[Strategy, str], ...]
    selections: Selections
    outcomes: Outcomes
    frontier: Frontier


Columns = TypeVar("Columns", Selections, Outcomes)


def joined(kind: type[Columns], parts: Iterable[Columns]) -> Columns:
    """The rows of one or more parts, in their order."""
    pieces = list(parts)
    return kind(**{name: np.concatenate([getattr(part, name) for part in pieces]) for name in _names(kind)})


def taken(rows: Columns, order: IntArray) -> Columns:
    """The same columns with rows in the given order."""
    return type(rows)(**{name: getattr(rows, name)[order] for name in _names(type(rows))})


def _names(kind: type[Columns]) -> list[str]:
    return [column.name for column in fields(kind)]
