"""Many question trees, and what the study's strategies still need of them.

Here: stating what is known as columns, letting the strategies walk on, and turning their frontier into
requests. Not here: who answers the requests (`settle.py`, `expand.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from verdict_assets.config.studies import ScoreSet
from verdict_assets.rollout.grown import Place, QuestionTree, Want
from verdict_assets.verification.advance import Expedition
from verdict_assets.verification.records import Frontier
from verdict_assets.verification.strategy import Strategy
from verdict_assets.verification.tree import End, Tree, TreeBuilder


@dataclass(frozen=True, slots=True)
class Points:
    """What is promised: (strategy, score set name) pairs, the score sets by name, and the numbers n and m."""

    walkers: tuple[tuple[Strategy, str], ...]
    score_sets: dict[str, ScoreSet]
    candidates: int
    judges: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request, the position of the question that needs it, and how many walkers wait for it there."""

    want: Want
    question: int
    walkers: int


class Forest:
    """The trees that are being grown. Facts are stated once: a replay adds only what is new."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._trees: dict[int, QuestionTree] = {}
        self._stale = 0
        self._restart()

    def __len__(self) -> int:
        return len(self._trees)

    def add(self, position: int, tree: QuestionTree) -> None:
        """Take up a question. `position` is its place in the benchmark and orders what is asked."""
        self._trees[position] = tree

    def drop(self, positions: Iterable[int]) -> None:
        """Forget questions. Their columns leave later, many at once, since that means building anew."""
        for position in positions:
            del self._trees[position]
            self._stale += 1
        if self._stale > len(self._trees):
            self._restart()

    @property
    def has_news(self) -> bool:
        """Whether something was learned that the last replay did not know."""
        return any(tree.fresh for tree in self._trees.values())

    def look(self) -> tuple[list[Waiting], list[int]]:
        """What the strategies wait for, questions in order, and the positions of closed questions."""
        for position, tree in self._trees.items():
            self._state(position, tree)
        columns = self._builder.build()
        frontier = self._expedition.advance(columns)
        closed = np.flatnonzero(self._expedition.closed(columns)).tolist()
        positions = sorted(int(columns.questions[index]) for index in closed)
        known = [position for position in positions if position in self._trees]
        return list(self._waiting(columns, frontier)), known

    def _state(self, position: int, tree: QuestionTree) -> None:
        if position not in self._stated:
            self._stated.add(position)
            self._builder.add_question(str(position), tree.root)
            fresh: Iterable[str] = list(tree.places)
        else:
            fresh = dict.fromkeys(tree.fresh)
        tree.fresh.clear()
        for node in fresh:
            self._state_place(tree, tree.places[node])

    def _state_place(self, tree: QuestionTree, place: Place) -> None:
        if place.parent is not None:
            self._builder.add_node(place.node, place.parent, place.end)
        if place.end is not End.NONE:
            self._builder.set_answer(place.node, tree.answer(place.node).correct)
            return
        children = [place.candidates[index].child for index in range(place.known)]
        for child in children:
            self._builder.add_node(child, place.node, tree.places[child].end)
        self._builder.set_candidates(place.node, children)
        for name in place.replies:
            scores = tree.scores(place.node, name)
            if scores is not None:
                self._builder.set_scores(place.node, name, scores)

    def _waiting(self, columns: Tree, frontier: Frontier) -> Iterator[Waiting]:
        needs: list[tuple[int, int | ScoreSet, int]] = list(
            zip(
                frontier.candidates.tolist(),
                frontier.candidates_count.tolist(),
                frontier.candidates_waiting.tolist(),
                strict=True,
            )
        )
        needs += [
            (at, self._points.score_sets[name], walkers)
            for (at, name), walkers in zip(frontier.scores, frontier.scores_waiting.tolist(), strict=True)
        ]
        placed = [(int(columns.questions[columns.question[need[0]]]), *need) for need in needs]
        # By question, since an engine reuses what requests of one question share; else as the frontier
        # orders them.
        placed.sort(key=lambda need: need[0])
        for position, at, what, walkers in placed:
            tree = self._trees.get(position)
            if tree is None:
                continue  # dropped, though its columns are still there
            node = columns.ids[at]
            wants = (
                tree.candidate_wants(node, what) if isinstance(what, int) else tree.score_wants(node, what)
            )
            for want in wants:
                yield Waiting(want, position, walkers)

    def _restart(self) -> None:
        self._builder = TreeBuilder(candidates=self._points.candidates, judges=self._points.judges)
        self._expedition = Expedition(self._points.walkers)
        self._stated: set[int] = set()
        self._stale = 0
