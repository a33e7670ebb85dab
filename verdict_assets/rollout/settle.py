"""Growing trees as far as stored answers reach, without asking anybody.

Here: the loop between what strategies wait for and what the store knows. Not here: asking an engine
(`expand.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from verdict_assets.inference.request import Response
from verdict_assets.inference.store import Store
from verdict_assets.rollout.forest import Forest, Waiting


@dataclass(frozen=True, slots=True)
class Settled:
    """What no stored answer helps with, and the positions of the questions that need nothing more."""

    missing: list[Waiting]
    closed: list[int]


def settle(
    forest: Forest, store: Store, on_found: Callable[[Waiting, Response], None] | None = None
) -> Settled:
    """Take every stored answer that is needed, then those needed next, until only misses are left."""
    while True:
        waiting, closed = forest.look()
        answers = store.get_many([item.want.request for item in waiting])
        missing: list[Waiting] = []
        for item, answer in zip(waiting, answers, strict=True):
            if answer is None:
                missing.append(item)
                continue
            item.want.accept(answer)
            if on_found is not None:
                on_found(item, answer)
        if not forest.has_news and len(missing) == len(waiting):
            return Settled(missing, closed)
