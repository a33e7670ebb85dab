"""What walkers wait for together.

Belongs here: merging the needs of single walkers and counting who waits. Does not belong here: how a walker
comes to wait (`walk`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from verdict_assets.verification.records import Frontier
from verdict_assets.verification.tree import IntArray, Tree
from verdict_assets.verification.walk import Needs, Walker


def frontier(waiting: Sequence[tuple[Walker, Needs]], tree: Tree) -> Frontier:
    """Each need once, with the number of walkers that wait for it, ordered by node, then score set."""
    all_candidates = _nodes(needs.candidates for _, needs in waiting)
    first_candidate = _nodes(needs.first_candidate for _, needs in waiting)
    candidates, candidates_waiting = np.unique(
        np.concatenate([all_candidates, first_candidate]), return_counts=True
    )
    sets = sorted({walker.score_set for walker, _ in waiting})
    # Node and set in one number, so that one sort groups the pairs.
    pairs, scores_waiting = np.unique(
        np.concatenate(
            [_nodes([needs.scores]) * len(sets) + sets.index(walker.score_set) for walker, needs in waiting]
        ),
        return_counts=True,
    )
    answers, answers_waiting = np.unique(_nodes(needs.answers for _, needs in waiting), return_counts=True)
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
