"""Replay all walkers over a tree from its roots, and keep every step.

Belongs here: the public `replay`. Does not belong here: one walker's steps (`walk`), what all of them wait
for (`frontier`), nor asking a model for what is missing (rollout).
"""

from __future__ import annotations

from collections.abc import Sequence

from verdict_assets.verification.frontier import frontier
from verdict_assets.verification.records import Frontier, Outcomes, Replay, Selections, joined
from verdict_assets.verification.strategy import Strategy
from verdict_assets.verification.tree import Tree
from verdict_assets.verification.walk import Walker, walk

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
        frontier=frontier([(walked.walker, walked.needs) for walked in walks], tree),
    )
