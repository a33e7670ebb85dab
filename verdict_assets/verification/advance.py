"""Walkers that follow a tree while it grows: what they still need, without walking known steps again.

Belongs here: going on from where each walker stood. Does not belong here: records of steps (`replay`, which
gives the same frontier), and how the tree grows (rollout).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verdict_assets.verification.frontier import frontier
from verdict_assets.verification.records import Frontier
from verdict_assets.verification.strategy import Strategy
from verdict_assets.verification.tree import BoolArray, Tree
from verdict_assets.verification.walk import Needs, Standing, Walker, at_the_roots, proceed


class Expedition:
    """Every (strategy, score set), each at the last node that it could reach.

    Good for one growing tree: facts are only added, so a node keeps its index, questions are appended, and
    a choice once made stays made.
    """

    def __init__(self, strategies: Sequence[tuple[Strategy, str]]) -> None:
        """Raises ValueError for no strategy at all."""
        if not strategies:
            raise ValueError("an expedition needs at least one strategy")
        self._walkers = [Walker(position, *pair) for position, pair in enumerate(strategies)]
        self._standing: list[Standing] | None = None

    def advance(self, tree: Tree) -> Frontier:
        """Walk on over what is known now; the frontier equals that of a replay from the roots."""
        fresh = at_the_roots(tree)
        before = self._standing or [Standing(fresh.at[:0], fresh.judged_steps[:0]) for _ in self._walkers]
        self._standing = [_extended(standing, fresh) for standing in before]
        waiting = []
        for walker, standing in zip(self._walkers, self._standing, strict=True):
            needs = Needs()
            for _ in proceed(walker, standing, tree, needs):
                pass
            waiting.append((walker, needs))
        return frontier(waiting, tree)

    def closed(self, tree: Tree) -> BoolArray:
        """[Q] every walker has reached a leaf whose answer is known, as of the last advance."""
        finished = np.ones(len(tree.root), dtype=np.bool_)
        for standing in self._standing or [at_the_roots(tree)]:
            finished &= tree.terminal[standing.at] & tree.answered[standing.at]
        return finished


def _extended(standing: Standing, fresh: Standing) -> Standing:
    known = len(standing.at)
    return Standing(
        np.concatenate([standing.at, fresh.at[known:]]),
        np.concatenate([standing.judged_steps, fresh.judged_steps[known:]]),
    )
