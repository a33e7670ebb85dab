"""The tables of one partition, read from the store: candidates, raw_scores, answers.

Here: growing the trees from stored answers alone, and their rows. Not here: asking an engine
(`expand.py`), writing files, and everything computed from the rows (`analysis`).

A closed partition gives the same rows whatever the order in which its answers came: its trees hold exactly
the places that some promised strategy visits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from verdict_assets.inference.request import Response
from verdict_assets.inference.store import Store
from verdict_assets.rollout.cost import Cost, cost_of
from verdict_assets.rollout.forest import Forest, Waiting
from verdict_assets.rollout.grown import Candidate, Place, QuestionTree, Reply
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.settle import settle
from verdict_assets.schemas import answers, candidates, raw_scores
from verdict_assets.schemas.check import conform, empty
from verdict_assets.schemas.table import Table
from verdict_assets.verification.tree import End

NO_TEXT = "the candidate has no text"

Asked = tuple[str, str | None, int | None]
"""What tells a request from others (`Want.place`)."""


@dataclass(frozen=True, slots=True)
class Extract:
    """The rows of one partition in stored form, and how far it is.

    open: ids of the questions that some promised strategy has not finished, in order. draft: a row rests
    on the open layer of the store. costs: by table; reading an answer from its trace costs nothing.
    """

    candidates: pd.DataFrame
    raw_scores: pd.DataFrame
    answers: pd.DataFrame
    questions: int
    open: tuple[str, ...]
    draft: bool
    costs: Mapping[str, Cost]

    @property
    def closed(self) -> bool:
        """Whether every promised strategy has its answer to every question."""
        return not self.open


def extract(partition: Partition, store: Store) -> Extract:
    """Read the tables of a partition. Makes no call and writes nothing."""
    forest = Forest(partition.points)
    trees = [partition.tree(position) for position in range(len(partition.questions))]
    for position, tree in enumerate(trees):
        forest.add(position, tree)
    draft = False
    used: dict[str, dict[Asked, Response]] = {"step": {}, "score": {}}

    def found(item: Waiting, answer: Response) -> None:
        nonlocal draft
        used[item.want.kind][item.want.place] = answer
        if not draft:
            layer = store.layer_of(item.want.request)
            draft = layer is not None and not layer.frozen

    closed = set(settle(forest, store, found).closed) if trees else set()
    names = [judge.name for judge in partition.study.judges]
    return Extract(
        candidates=_frame(_candidate_rows(tree) for tree in trees).pipe(_stored, candidates.TABLE, partition),
        raw_scores=_frame(_score_rows(tree, names) for tree in trees).pipe(
            _stored, raw_scores.TABLE, partition
        ),
        answers=_frame(_answer_rows(tree) for tree in trees).pipe(_stored, answers.TABLE, partition),
        questions=len(trees),
        open=tuple(
            tree.question.question_id for position, tree in enumerate(trees) if position not in closed
        ),
        draft=draft,
        costs={
            "candidates": cost_of(used["step"].values()),
            "raw_scores": cost_of(used["score"].values()),
            "answers": Cost(),
        },
    )


Row = dict[str, object]


def _frame(rows_of_trees: Iterable[Iterator[Row]]) -> pd.DataFrame:
    return pd.DataFrame([row for rows in rows_of_trees for row in rows], dtype=object)


def _stored(frame: pd.DataFrame, table: Table, partition: Partition) -> pd.DataFrame:
    if frame.empty:
        return empty(table)
    return conform(frame.assign(study=partition.study.name, benchmark=partition.benchmark), table)


def _known(tree: QuestionTree) -> Iterator[tuple[Place, list[Candidate]]]:
    """Every place with candidates, and those without a gap before them."""
    for place in tree.places.values():
        if place.known:
            yield place, [place.candidates[index] for index in range(place.known)]


def _candidate_rows(tree: QuestionTree) -> Iterator[Row]:
    for place, found in _known(tree):
        for index, candidate in enumerate(found):
            step, end = candidate.step, candidate.step.end
            yield {
                "question_id": tree.question.question_id,
                "node": place.node,
                "parent": place.parent,
                "depth": len(place.steps),
                "candidate": index,
                "text": step.text,
                "finish": str(step.finish),
                "state": str(step.state),
                "blank_lines": step.blank_lines,
                "child": candidate.child,
                "child_end": None if end is End.NONE else end.name.lower(),
            }


def _score_rows(tree: QuestionTree, judges: list[str]) -> Iterator[Row]:
    for place, found in _known(tree):
        for score_set, replies in place.replies.items():
            if tree.scores(place.node, score_set) is None:
                continue
            for index, candidate in enumerate(found):
                for position, judge in enumerate(judges):
                    yield {
                        "question_id": tree.question.question_id,
                        "node": place.node,
                        "candidate": index,
                        "judge": judge,
                        "score_set": score_set,
                        **_reply(replies.get((candidate.step.text, position))),
                    }


def _reply(reply: Reply | None) -> Row:
    if reply is None:
        return {"reply": "", "state": "empty", "score": None, "reason": NO_TEXT}
    response, parsed = reply.response, reply.parsed
    return {
        "reply": response.text,
        "state": str(response.state),
        "score": parsed.score,
        "reason": None if parsed.reason is None else str(parsed.reason),
    }


def _answer_rows(tree: QuestionTree) -> Iterator[Row]:
    for place in tree.places.values():
        if place.end is not End.NONE:
            answer = tree.answer(place.node)
            yield {
                "question_id": tree.question.question_id,
                "node": place.node,
                "end": place.end.name.lower(),
                "answer": answer.letter,
                "rule": answer.rule,
                "correct": answer.correct,
            }
