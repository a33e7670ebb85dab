"""Walk stored trees as every strategy would, all questions at once, and say what is still needed.

Belongs here: following choices from root to leaf and the records of that walk. Does not belong here: how a choice is made
(`decide`), nor asking a model for what is missing (rollout).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verdict_assets.verification.strategy import Strategy
from verdict_assets.verification.tree import BoolArray, IntArray, Tree


@dataclass(frozen=True, slots=True)
class Selections:
    """One row per step that a walker took, ordered by walker, question, step.

    A walker is a position in the sequence of (strategy, score set) given to `replay`. Steps without judging (the first one, all
    of Base) have `judged` False, `chosen` 0 and zero counts.
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
    incomplete: IntArray  # candidates that lacked a score the strategy needs
    missing_scores: IntArray  # scores missing among those the strategy needs


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One row per walker and question, ordered by walker, question; counts run over the path walked so far."""

    walker: IntArray
    question: IntArray
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
    """What walkers wait for, each need once, with the number of walkers that wait; ordered by node, then score set.

    Empty exactly when every walker is closed on every question.
    """

    candidates: IntArray  # nodes whose candidates are needed
    candidates_count: IntArray  # how many of the first candidates: 1 if only unjudged walkers wait there, else n
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


def replay(strategies: Sequence[tuple[Strategy, str]], tree: Tree) -> Replay:
    """Walk every (strategy, score set) from every root as far as the tree is known.

    Same strategies and same tree give the same bytes. A score set the tree does not hold counts as not asked yet. Raises
    ValueError for a strategy that does not fit the tree's judges.
    """
    raise NotImplementedError
