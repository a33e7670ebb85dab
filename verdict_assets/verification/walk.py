"""One walker's way through the tree, on all questions at once.

Belongs here: taking a step at every open question, and noting where the tree is not yet known. Does not
belong here: how a candidate is chosen (`decide`), nor what many walkers need together (`replay`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from verdict_assets.verification.decide import decide
from verdict_assets.verification.records import Outcomes, Selections, joined, taken
from verdict_assets.verification.strategy import Strategy
from verdict_assets.verification.tree import BoolArray, IntArray, Tree


@dataclass(frozen=True, slots=True)
class Walker:
    """A strategy reading one score set; `position` is its place among the walkers of a replay."""

    position: int
    strategy: Strategy
    score_set: str


@dataclass(slots=True)
class Needs:
    """The nodes one walker waits at, each at most once, in no particular order."""

    candidates: list[IntArray] = field(default_factory=list)  # all n candidates
    first_candidate: list[IntArray] = field(default_factory=list)  # candidate 0 alone
    scores: list[IntArray] = field(default_factory=list)
    answers: list[IntArray] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Walk:
    """What one walker did, reached, and waits for."""

    walker: Walker
    selections: Selections
    outcomes: Outcomes
    needs: Needs


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a walker stands on each question [Q], and how many judged steps it took; `proceed` moves both."""

    at: IntArray
    judged_steps: IntArray


def at_the_roots(tree: Tree) -> Standing:
    """No step taken on any question."""
    return Standing(tree.root.copy(), np.zeros(len(tree.root), dtype=np.int64))


def proceed(walker: Walker, standing: Standing, tree: Tree, needs: Needs) -> Iterator[Selections]:
    """Go on as far as the tree is known, a step of all questions at a time, and note what is missing."""
    at = standing.at
    going = np.arange(len(at))
    while len(going := going[~tree.terminal[at[going]]]):
        judging = tree.judged[at[going]] & _still_judges(walker.strategy, standing.judged_steps[going])
        judged = _judgeable(walker, going[judging], at, tree, needs)
        followed = _followable(going[~judging], at, tree, needs)
        step = joined(Selections, [_judged(walker, judged, at, tree), _unjudged(walker, followed, at, tree)])
        yield step
        at[step.question] = tree.child[step.node, step.chosen]
        standing.judged_steps[judged] += 1
        going = step.question
    needs.answers.append(at[tree.terminal[at] & ~tree.answered[at]])


def walk(walker: Walker, tree: Tree) -> Walk:
    """Follow the walker from every root as far as the tree is known."""
    standing = at_the_roots(tree)
    needs = Needs()
    nothing = _unjudged(walker, np.empty(0, dtype=np.int64), standing.at, tree)
    selections = joined(Selections, [nothing, *proceed(walker, standing, tree, needs)])
    selections = taken(selections, np.lexsort((selections.step, selections.question)))
    return Walk(walker, selections, _outcomes(walker, standing.at, selections, tree), needs)


def _still_judges(strategy: Strategy, judged_steps: IntArray) -> BoolArray:
    limit = strategy.stop.judged_steps
    return np.ones(len(judged_steps), dtype=np.bool_) if limit is None else np.less(judged_steps, limit)


def _judgeable(walker: Walker, questions: IntArray, at: IntArray, tree: Tree, needs: Needs) -> IntArray:
    """The questions whose node has candidates and scores; the others are noted with what comes first."""
    nodes = at[questions]
    sampled = tree.sampled[nodes]
    needs.candidates.append(nodes[~sampled])
    scored = np.zeros(len(nodes), dtype=np.bool_)
    if walker.score_set in tree.scored:
        scored = tree.scored[walker.score_set][nodes]
    needs.scores.append(nodes[sampled & ~scored])
    return questions[sampled & scored]


def _followable(questions: IntArray, at: IntArray, tree: Tree, needs: Needs) -> IntArray:
    """The questions whose node has a candidate 0; the others are noted."""
    nodes = at[questions]
    known: BoolArray = tree.child[nodes, 0] >= 0
    needs.first_candidate.append(nodes[~known])
    return questions[known]


def _judged(walker: Walker, questions: IntArray, at: IntArray, tree: Tree) -> Selections:
    if not len(questions):
        return _unjudged(walker, questions, at, tree)
    nodes = at[questions]
    decision = decide(
        walker.strategy, tree.scores[walker.score_set][nodes], _ids(walker.strategy, nodes, tree)
    )
    return Selections(
        walker=np.full(len(nodes), walker.position, dtype=np.int64),
        question=questions,
        step=tree.depth[nodes],
        node=nodes,
        chosen=decision.chosen,
        judged=np.ones(len(nodes), dtype=np.bool_),
        accepted_count=decision.accepted.sum(axis=1, dtype=np.int64),
        fallback=decision.fallback,
        tie=decision.tie,
        incomplete=(decision.missing > 0).sum(axis=1, dtype=np.int64),
        missing_scores=decision.missing.sum(axis=1, dtype=np.int64),
    )


def _ids(strategy: Strategy, nodes: IntArray, tree: Tree) -> Sequence[str]:
    """The node ids where they matter; looking up a million names costs more than the choice."""
    return [tree.ids[node] for node in nodes.tolist()] if strategy.scores.permuted else ()


def _unjudged(walker: Walker, questions: IntArray, at: IntArray, tree: Tree) -> Selections:
    nodes = at[questions]
    zero = np.zeros(len(nodes), dtype=np.int64)
    no = np.zeros(len(nodes), dtype=np.bool_)
    return Selections(
        walker=np.full(len(nodes), walker.position, dtype=np.int64),
        question=questions,
        step=tree.depth[nodes],
        node=nodes,
        chosen=zero,
        judged=no,
        accepted_count=zero,
        fallback=no,
        tie=no,
        incomplete=zero,
        missing_scores=zero,
    )


def _outcomes(walker: Walker, at: IntArray, selections: Selections, tree: Tree) -> Outcomes:
    def per_question(values: IntArray | BoolArray) -> IntArray:
        totals = np.zeros(len(at), dtype=np.int64)
        np.add.at(totals, selections.question, values)
        return totals

    closed = tree.terminal[at] & tree.answered[at]
    judged_steps = per_question(selections.judged)
    return Outcomes(
        walker=np.full(len(at), walker.position, dtype=np.int64),
        question=np.arange(len(at)),
        closed=closed,
        leaf=np.where(tree.terminal[at], at, -1),
        correct=tree.correct[at],
        steps=per_question(np.ones(len(selections.question), dtype=np.int64)),
        judged_steps=judged_steps,
        fallback_steps=per_question(selections.fallback),
        judged_candidates=judged_steps * tree.candidates,
        accepted_candidates=per_question(selections.accepted_count),
        missing_scores=per_question(selections.missing_scores),
    )
