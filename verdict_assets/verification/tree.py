"""The trace tree: every node some strategy has visited, as columns.

A node is a question with an exact prefix of steps; a candidate extends it to a child node; equal text gives
the same child, so strategies share every step on which they agree. Belongs here: the columns and the
builder that makes and checks them. Does not belong here: texts, files, requests; where the facts come from
is the caller's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


class End(IntEnum):
    """Why a chain ends at a node; NONE marks a node that can be continued."""

    NONE = 0
    EOS = 1  # the last step ended with the end-of-sequence token
    CAP = 2  # the cap on the number of steps was reached
    LOOP = 3  # the same step came too often in a row
    EMPTY = 4  # the last candidate had no text


@dataclass(frozen=True, slots=True)
class Tree:
    """N nodes of Q questions, n candidates a node, m judges; an index of -1 is "none" or "not known yet"."""

    questions: tuple[str, ...]  # [Q] caller's question ids
    ids: tuple[str, ...]  # [N] caller's node ids
    root: IntArray  # [Q] node
    question: IntArray  # [N] position in questions
    depth: IntArray  # [N] steps in the prefix
    parent: IntArray  # [N] node, -1 for a root
    child: IntArray  # [N, n] node reached by each candidate
    sampled: BoolArray  # [N] its candidates are known: all n, or only candidate 0 where nothing is judged
    judged: BoolArray  # [N] candidates are judged here: not at leaves, and by default not at the first step
    end: IntArray  # [N] an End
    answered: BoolArray  # [N] a leaf whose answer has been read
    correct: BoolArray  # [N] that answer is the gold one; False where not answered
    scores: Mapping[str, FloatArray]  # score set -> [N, n, m], NaN where missing
    scored: Mapping[str, BoolArray]  # score set -> [N] the judges have been asked about all candidates

    @property
    def terminal(self) -> BoolArray:
        """[N] the chain ends here."""
        return np.not_equal(self.end, int(End.NONE))

    @property
    def candidates(self) -> int:
        """n, the number of candidates at a judged node."""
        return int(self.child.shape[1])


class TreeBuilder:
    """Collects what is known about nodes, a parent before its children; `build` gives the columns.

    Node and question ids are the caller's strings. Every method may be repeated with the same facts and
    raises ValueError for facts that contradict earlier ones: a tree with two truths has no exact replay.
    """

    def __init__(self, *, candidates: int, judges: int, judge_first_step: bool = False) -> None:
        if candidates < 1:
            raise ValueError(f"a node needs at least one candidate, not {candidates}")
        if judges < 1:
            raise ValueError(f"a judged node needs at least one judge, not {judges}")
        self._candidates = candidates
        self._judges = judges
        self._judge_first_step = judge_first_step
        self._questions: list[str] = []
        self._roots: dict[str, int] = {}
        self._index: dict[str, int] = {}
        self._question: list[int] = []
        self._depth: list[int] = []
        self._parent: list[int] = []
        self._end: list[int] = []
        self._children: dict[int, tuple[int, ...]] = {}
        self._scores: dict[str, dict[int, FloatArray]] = {}
        self._answers: dict[int, bool] = {}

    def __contains__(self, node: str) -> bool:
        return node in self._index

    def add_question(self, question: str, root: str, end: End = End.NONE) -> None:
        """Add a question and its root node, whose prefix is empty."""
        if question in self._roots:
            if self._index.get(root) != self._roots[question]:
                raise ValueError(f"question {question!r} already has another root than {root!r}")
            return
        self._roots[question] = self._append(root, len(self._questions), 0, -1, end)
        self._questions.append(question)

    def add_node(self, node: str, parent: str, end: End = End.NONE) -> None:
        """Add the node that one of `parent`'s candidates leads to; `end` says why a chain stops there."""
        above = self._known(parent)
        if self._end[above] != End.NONE:
            raise ValueError(f"node {node!r} cannot follow {parent!r}, where the chain has ended")
        if node in self._index:
            at = self._index[node]
            if self._parent[at] != above or self._end[at] != end:
                raise ValueError(f"node {node!r} is already known with another parent or another end")
            return
        self._append(node, self._question[above], self._depth[above] + 1, above, end)

    def set_candidates(self, node: str, children: Sequence[str]) -> None:
        """State which nodes the first candidates of `node` lead to, in their order; more may follow later."""
        at = self._known(node)
        found = tuple(self._known(child) for child in children)
        if len(found) > self._candidates:
            raise ValueError(
                f"node {node!r} has {len(found)} candidates, but the tree holds {self._candidates} a node"
            )
        strangers = [child for child, index in zip(children, found, strict=True) if self._parent[index] != at]
        if strangers:
            raise ValueError(
                f"candidates of node {node!r} lead to nodes with another parent: {', '.join(strangers)}"
            )
        before = self._children.get(at, ())
        shorter = min(len(before), len(found))
        if before[:shorter] != found[:shorter]:
            raise ValueError(f"node {node!r} already has other candidates")
        self._children[at] = max(before, found, key=len)

    def set_scores(self, node: str, score_set: str, scores: FloatArray) -> None:
        """State the scores [n, m] of all candidates of `node` in one score set, NaN where missing."""
        at = self._known(node)
        values = np.asarray(scores, dtype=np.float64)
        if values.shape != (self._candidates, self._judges):
            raise ValueError(
                f"scores of node {node!r} have the shape {values.shape}, "
                f"not ({self._candidates}, {self._judges})"
            )
        outside = ~np.isnan(values) & ~((values >= 0) & (values <= 1))
        if outside.any():
            raise ValueError(f"scores of node {node!r} lie outside [0, 1]: {values[outside].tolist()}")
        column = self._scores.setdefault(score_set, {})
        if at in column and not np.array_equal(column[at], values, equal_nan=True):
            raise ValueError(f"node {node!r} already has other scores in the set {score_set!r}")
        column[at] = values

    def set_answer(self, node: str, correct: bool) -> None:
        """State whether the answer read at the leaf `node` is the gold one."""
        at = self._known(node)
        if self._end[at] == End.NONE:
            raise ValueError(f"node {node!r} is not a leaf, so it has no answer")
        if self._answers.setdefault(at, correct) != correct:
            raise ValueError(f"node {node!r} already has another answer")

    def build(self) -> Tree:
        """The columns of everything stated so far."""
        count = len(self._index)
        depth = np.array(self._depth, dtype=np.int64)
        end = np.array(self._end, dtype=np.int64)
        judged = (end == End.NONE) & ((depth > 0) | self._judge_first_step)
        child = np.full((count, self._candidates), -1, dtype=np.int64)
        for at, children in self._children.items():
            child[at, : len(children)] = children
        known = (child >= 0).sum(axis=1)
        answered = np.zeros(count, dtype=np.bool_)
        correct = np.zeros(count, dtype=np.bool_)
        for at, value in self._answers.items():
            answered[at] = True
            correct[at] = value
        scores: dict[str, FloatArray] = {}
        scored: dict[str, BoolArray] = {}
        for score_set in sorted(self._scores):
            scores[score_set], scored[score_set] = self._score_columns(self._scores[score_set], count)
        return Tree(
            questions=tuple(self._questions),
            ids=tuple(self._index),
            root=np.array([self._roots[question] for question in self._questions], dtype=np.int64),
            question=np.array(self._question, dtype=np.int64),
            depth=depth,
            parent=np.array(self._parent, dtype=np.int64),
            child=child,
            sampled=known >= np.where(judged, self._candidates, 1),
            judged=judged,
            end=end,
            answered=answered,
            correct=correct,
            scores=scores,
            scored=scored,
        )

    def _score_columns(self, column: Mapping[int, FloatArray], count: int) -> tuple[FloatArray, BoolArray]:
        scores = np.full((count, self._candidates, self._judges), np.nan)
        scored = np.zeros(count, dtype=np.bool_)
        for at, values in column.items():
            scores[at] = values
            scored[at] = True
        return scores, scored

    def _append(self, node: str, question: int, depth: int, parent: int, end: End) -> int:
        if node in self._index:
            raise ValueError(f"node {node!r} is already known elsewhere in the tree")
        at = len(self._index)
        self._index[node] = at
        self._question.append(question)
        self._depth.append(depth)
        self._parent.append(parent)
        self._end.append(int(end))
        return at

    def _known(self, node: str) -> int:
        try:
            return self._index[node]
        except KeyError:
            raise ValueError(f"node {node!r} was never added to the tree") from None
