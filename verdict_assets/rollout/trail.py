"""How the answers at one place were asked for: the key and seed of each request, and where its answer lies.

Here: from a place of a stored tree to its requests. Not here: what a strategy made of the answers
(`analysis`), and asking anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verdict_assets.config.studies import ScoreSet
from verdict_assets.inference.request import Request, seed
from verdict_assets.inference.store import Store
from verdict_assets.rollout.forest import Forest
from verdict_assets.rollout.grown import QuestionTree
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.settle import settle


@dataclass(frozen=True, slots=True)
class Call:
    """One stored answer. `role`: "step", or the judge's name; `about`: the text that was judged.

    seed: None for a greedy request. shard: the file's name. provenance: engine, version, device and the like.
    """

    role: str
    about: str | None
    reply: str
    state: str
    request: str
    seed: int | None
    shard: str
    run_id: str
    provenance: str


def calls_at(
    partition: Partition, store: Store, question_id: str, node: str, score_set: str | None
) -> list[Call]:
    """The answers at one node of a question: candidates in order, then each judge's replies to them.

    score_set: name of the judges' decoding; None for candidates alone. A step before which blank lines were
    drawn is shown with its first request. Raises KeyError for a question or node that the store does not
    have.
    """
    tree = _tree(partition, store, question_id)
    place = tree.places[node]
    requests = [("step", partition.asking.candidate(place.group, index)) for index in range(place.known)]
    if score_set is not None:
        requests += _judged(partition, tree, node, partition.points.score_sets[score_set])
    return list(found(requests, store))


def _tree(partition: Partition, store: Store, question_id: str) -> QuestionTree:
    positions = {question.question_id: at for at, question in enumerate(partition.questions)}
    tree = partition.tree(positions[question_id])
    forest = Forest(partition.points)
    forest.add(positions[question_id], tree)
    settle(forest, store)
    return tree


def _judged(
    partition: Partition, tree: QuestionTree, node: str, score_set: ScoreSet
) -> list[tuple[str, Request]]:
    place = tree.places[node]
    texts = dict.fromkeys(candidate.step.text for _, candidate in sorted(place.candidates.items()))
    groups = {
        judge.name: place.judged[judge.name, score_set.decoding.name]
        for judge in partition.study.judges
        if (judge.name, score_set.decoding.name) in place.judged
    }
    return [
        (judge, partition.asking.score(group, text, score_set))
        for judge, group in groups.items()
        for text in texts
    ]


def found(requests: Iterable[tuple[str, Request]], store: Store) -> Iterator[Call]:
    """The stored answers to requests, each with its role; a request without one is left out."""
    for role, request in requests:
        answer, shard, provenance = store.get(request), store.shard_of(request), store.provenance_of(request)
        if answer is not None and shard is not None and provenance is not None:
            yield Call(
                role=role,
                about=request.tail,
                reply=answer.text,
                state=str(answer.state),
                request=request.key,
                seed=seed(request),
                shard=shard.name,
                run_id=store.run_of(request) or "",
                provenance=provenance.encoded(),
            )
