"""Replay all walkers over a tree, and say what they still need together.

Belongs here: the public `replay` and the frontier, which counts waiting walkers over all of them. Does not
belong here: one walker's steps (`walk`), nor asking a model for what is missing (rollout).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from verdict_assets.verification.records import Frontier, Outcomes, Replay, Selections, joined
from verdict_assets.verification.strategy import Strategy
from verdict_assets.verification.tree import IntArray, Tree
from verdict_assets.verification.walk import Walk, Walker, walk

__all__ = ["Frontier", "Outcomes", "Replay", "Selections", "replay"]


def replay(strategies: Sequence[tuple[Strategy, str]], tree: Tree) -> Replay:
    """Walk every (strategy, score set) from every root as far as the tree is known.

    The same strategies and tree give the same bytes. A score set that the tree does not hold counts as not
    asked yet. Raises ValueError for no strategy at all, or one that does not fit the tree's judges.
    """
    if not strategies:
        raise ValueError("a replay needs at least one strategy")
    walks = [walk(Walker(position, *pair), tree) for position, pair in enumerate(strategies)]
    return Replay(
        walkers=tuple(strategies),
        selections=joined(Selections, (walked.selections for walked in walks)),
        outcomes=joined(Outcomes, (walked.outcomes for walked in walks)),
        frontier=_frontier(walks, tree),
    )


def _frontier(walks: Sequence[Walk], tree: Tree) -> Frontier:
    all_candidates = _nodes(walked.needs.candidates for walked in walks)
    first_candidate = _nodes(walked.needs.first_candidate for walked in walks)
    candidates, candidates_waiting = np.unique(
        np.concatenate([all_candidates, first_candidate]), return_counts=True
    )
    sets = sorted({walked.walker.score_set for walked in walks})
    # Node and set in one number, so that one sort groups the pairs.
    pairs, scores_waiting = np.unique(
        np.concatenate(
            [
                _nodes([walked.needs.scores]) * len(sets) + sets.index(walked.walker.score_set)
                for walked in walks
            ]
        ),
        return_counts=True,
    )
    answers, answers_waiting = np.unique(_nodes(walked.needs.answers for walked in walks), return_counts=True)
    return Frontier(
        candidates=candidates,
        candidates_count=np.where(np.isin(candidates, all_candidates), tree.candidates, 1),
        candidates_waiting=candidates_waiting,
        scores=tuple((pair // len(sets), sets[pair % len(sets)]) for pair in pairs.tolist()),
        scores_waiting=scores_waiting,
        answers=answers,
        answers_waiting=answers_waiting,
    )


def _nodes(parts: Iterable[Sequence[IntArray]]) -> IntArray:
    pieces = [piece for part in parts for piece in part]
    return np.concatenate([np.empty(0, dtype=np.int64), *pieces])
