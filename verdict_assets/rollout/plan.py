"""What a study would still ask from where its trees stand now.

Here: counting the requests at the present frontier. Not here: guessing how many more will follow behind it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from verdict_assets.inference.store import Store
from verdict_assets.rollout.forest import Forest
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.settle import settle


@dataclass(frozen=True, slots=True)
class Plan:
    """Requests that could be asked at once, by kind (each opens others), and the questions not yet closed."""

    study: str
    benchmark: str
    questions: int
    questions_open: int
    steps: int
    scores: int


def plan(partition: Partition, store: Store) -> Plan:
    """Count what the partition waits for, each request once. Asks nothing."""
    forest = Forest(partition.points)
    for position in range(len(partition.questions)):
        forest.add(position, partition.tree(position))
    settled = settle(forest, store)
    kinds = {item.want.place: item.want.kind for item in settled.missing}
    counts = Counter(kinds.values())
    return Plan(
        study=partition.study.name,
        benchmark=partition.benchmark,
        questions=len(partition.questions),
        questions_open=len(partition.questions) - len(settled.closed),
        steps=counts["step"],
        scores=counts["score"],
    )
