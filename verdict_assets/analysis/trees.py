"""The trace tree of one study on one benchmark, grown from the three tables that hold what models produced.

Belongs here: reading tables into `verification.tree`, and which questions a study asks. Does not belong
here: walking the tree (`replays`), and trees grown from the store while models still run (rollout).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from verdict_assets.verification.tree import End, Tree, TreeBuilder

_NOT_SAMPLED = "not sampled: "


@dataclass(frozen=True, slots=True)
class Recorded:
    """What models produced: the tables candidates, raw_scores and answers, of any number of studies."""

    candidates: pd.DataFrame
    raw_scores: pd.DataFrame
    answers: pd.DataFrame

    def of(self, study: str, benchmark: str) -> Recorded:
        """The rows of one study on one benchmark."""
        return Recorded(
            *(
                frame[(frame["study"] == study) & (frame["benchmark"] == benchmark)]
                for frame in (self.candidates, self.raw_scores, self.answers)
            )
        )


def asked(questions: pd.DataFrame, benchmark: str, limit: int | None) -> list[str]:
    """Ids of the first `limit` questions of a benchmark in its own order; all of them for None."""
    mine = questions[questions["benchmark"] == benchmark].sort_values("position", kind="stable")
    ids = [str(question) for question in mine["question_id"]]
    return ids if limit is None else ids[:limit]


def grow(recorded: Recorded, questions: Sequence[str], judges: Sequence[str], width: int) -> Tree:
    """The tree of the rows in `recorded`, which must be of one study and one benchmark.

    questions: all that the study asks, in order; one without any row gets a bare root, so that every
    strategy waits there and the question counts as unfinished. judges: in the study's order. width:
    candidates at a judged node. Rows of other questions are left out.

    Raises ValueError where rows contradict each other (see `TreeBuilder`), e.g. two roots for a question.
    """
    builder = TreeBuilder(candidates=width, judges=len(judges))
    rows = recorded.candidates[recorded.candidates["question_id"].isin(set(questions))]
    rows = rows.sort_values(["depth", "question_id", "node", "candidate"], kind="stable")
    _add_roots(builder, rows, questions)
    children = _add_steps(builder, rows, width)
    for node, ends in children.items():
        builder.set_candidates(node, [child for child, _ in ends])
    _add_scores(builder, recorded.raw_scores, children, judges, width)
    for node, correct in zip(recorded.answers["node"], recorded.answers["correct"], strict=True):
        if node in builder:
            builder.set_answer(node, bool(correct))
    return builder.build()


def _add_roots(builder: TreeBuilder, rows: pd.DataFrame, questions: Sequence[str]) -> None:
    first = rows[rows["depth"] == 0]
    roots: dict[str, set[str]] = {}
    for question, node in zip(first["question_id"], first["node"], strict=True):
        roots.setdefault(question, set()).add(node)
    for question in questions:
        for root in sorted(roots.get(question, {_NOT_SAMPLED + question})):
            builder.add_question(question, root)


def _add_steps(
    builder: TreeBuilder, rows: pd.DataFrame, width: int
) -> Mapping[str, list[tuple[str, str | None]]]:
    """Add every child; return each node's (child, end) in candidate order, up to the first unknown."""
    children: dict[str, list[tuple[str, str | None]]] = {}
    columns = (rows[name].tolist() for name in ("node", "candidate", "child", "child_end"))
    for node, index, child, end in zip(*columns, strict=True):
        known = children.setdefault(str(node), [])
        # A gap (a refused or lost candidate) leaves the node unsampled from there on: nobody can choose at
        # it.
        if index != len(known) or len(known) >= width or not isinstance(child, str):
            continue
        reason = end if isinstance(end, str) else None
        builder.add_node(child, str(node), End.NONE if reason is None else End[reason.upper()])
        known.append((child, reason))
    return children


def _add_scores(
    builder: TreeBuilder,
    rows: pd.DataFrame,
    children: Mapping[str, list[tuple[str, str | None]]],
    judges: Sequence[str],
    width: int,
) -> None:
    """Set the scores of every node at which every judge was asked about every candidate with a text."""
    full = [node for node, ends in children.items() if len(ends) == width]
    position = {node: at for at, node in enumerate(full)}
    order = {judge: at for at, judge in enumerate(judges)}
    with_text = np.array([[end != "empty" for _, end in children[node]] for node in full], dtype=np.bool_)
    with_text = with_text.reshape(len(full), width)
    for score_set, group in rows.groupby("score_set", sort=True):
        mine = group[group["node"].isin(position) & group["judge"].isin(order) & (group["candidate"] < width)]
        at = (
            mine["node"].map(position).to_numpy(dtype=np.int64),
            mine["candidate"].to_numpy(dtype=np.int64),
            mine["judge"].map(order).to_numpy(dtype=np.int64),
        )
        scores = np.full((len(full), width, len(judges)), np.nan)
        replied: npt.NDArray[np.bool_] = np.zeros(scores.shape, dtype=np.bool_)
        scores[at] = mine["score"].to_numpy(dtype=np.float64, na_value=np.nan)
        replied[at] = True
        complete = (replied.all(axis=2) | ~with_text).all(axis=1)
        for index in np.flatnonzero(complete):
            builder.set_scores(full[index], str(score_set), scores[index])
