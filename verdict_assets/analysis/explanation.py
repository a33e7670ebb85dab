"""One strategy's path on one question, with every number that led to every choice.

Belongs here: collecting what a choice rests on, from the same replay and the same decision that make the
tables. Does not belong here: printing it (`reporting.explanation`) and reading files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from verdict_assets.analysis.trees import Recorded, grow
from verdict_assets.verification.consensus import above, below, consensus
from verdict_assets.verification.decide import Decision, decide, permutations
from verdict_assets.verification.replay import replay
from verdict_assets.verification.strategy import Side, Statistic, Strategy
from verdict_assets.verification.tree import End, Tree


@dataclass(frozen=True, slots=True)
class Comparison:
    """One strict test of the gate, as it came out."""

    statistic: Statistic
    value: float
    side: Side
    limit: float
    passes: bool


@dataclass(frozen=True, slots=True)
class Option:
    """One candidate at a step.

    scores: by judge in use, None where missing. adjusted: by judge, None where the strategy takes raw
    scores or a score is missing. comparisons: empty where the strategy has no test. `statistics`: what it
    ranks by.
    """

    index: int
    text: str
    scores: Mapping[str, float | None]
    reasons: Mapping[str, str]
    adjusted: Mapping[str, float] | None
    comparisons: tuple[Comparison, ...]
    statistics: Mapping[Statistic, float]
    usable: bool
    accepted: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the path. An unjudged step has a single option and takes it."""

    number: int
    node: str
    judged: bool
    options: tuple[Option, ...]
    chosen: int
    fallback: bool
    tie: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """The path. `leaf`, `answer` and `correct` are None while it is unfinished."""

    strategy: Strategy
    score_set: str
    steps: tuple[Step, ...]
    closed: bool
    end: str | None
    leaf: str | None
    answer: str | None
    correct: bool | None


def explain(
    recorded: Recorded, question: str, strategy: Strategy, score_set: str, judges: tuple[str, ...], width: int
) -> Explanation:
    """Replay one strategy on one question and keep what it saw.

    recorded: rows of one study and benchmark, at least those of the question. judges: in the study's order.
    width: candidates at a judged node. Raises ValueError as `trees.grow`.
    """
    mine = Recorded(
        *(
            frame[frame["question_id"] == question]
            for frame in (recorded.candidates, recorded.raw_scores, recorded.answers)
        )
    )
    tree = grow(mine, [question], judges, width)
    walked = replay([(strategy, score_set)], tree)
    picks, outcome = walked.selections, walked.outcomes
    texts = _texts(mine.candidates)
    reasons = _reasons(mine.raw_scores, score_set)
    steps = []
    for at in range(len(picks.step)):
        node = int(picks.node[at])
        if picks.judged[at]:
            decision = _decision(strategy, score_set, tree, node)
            options = _options(strategy, score_set, tree, node, decision, judges, texts, reasons)
        else:
            options = (_unjudged(texts[tree.ids[node], 0]),)
        steps.append(
            Step(
                number=int(picks.step[at]) + 1,
                node=tree.ids[node],
                judged=bool(picks.judged[at]),
                options=options,
                chosen=int(picks.chosen[at]),
                fallback=bool(picks.fallback[at]),
                tie=bool(picks.tie[at]),
            )
        )
    closed = bool(outcome.closed[0])
    leaf = tree.ids[int(outcome.leaf[0])] if closed else None
    found = mine.answers[mine.answers["node"] == leaf]
    letter = found["answer"].iloc[0] if len(found) else None
    return Explanation(
        strategy=strategy,
        score_set=score_set,
        steps=tuple(steps),
        closed=closed,
        end=End(int(tree.end[int(outcome.leaf[0])])).name.lower() if closed else None,
        leaf=leaf,
        answer=letter if isinstance(letter, str) else None,
        correct=bool(outcome.correct[0]) if closed else None,
    )


def _texts(candidates: pd.DataFrame) -> dict[tuple[str, int], str]:
    columns = (candidates[name].tolist() for name in ("node", "candidate", "text"))
    return {(str(node), int(index)): str(text) for node, index, text in zip(*columns, strict=True)}


def _reasons(raw_scores: pd.DataFrame, score_set: str) -> dict[tuple[str, int, str], str]:
    """Why a score is missing, by node, candidate and judge."""
    rows = raw_scores[(raw_scores["score_set"] == score_set) & raw_scores["score"].isna()]
    columns = (rows[name].tolist() for name in ("node", "candidate", "judge", "reason"))
    return {(str(n), int(c), str(j)): str(reason) for n, c, j, reason in zip(*columns, strict=True)}


def _unjudged(text: str) -> Option:
    return Option(0, text, {}, {}, None, (), {}, usable=True, accepted=True)


def _decision(strategy: Strategy, score_set: str, tree: Tree, node: int) -> Decision:
    return decide(strategy, tree.scores[score_set][node][np.newaxis], [tree.ids[node]])


def _options(
    strategy: Strategy,
    score_set: str,
    tree: Tree,
    node: int,
    decision: Decision,
    judges: tuple[str, ...],
    texts: Mapping[tuple[str, int], str],
    reasons: Mapping[tuple[str, int, str], str],
) -> tuple[Option, ...]:
    spec, name = strategy.scores, tree.ids[node]
    scores = tree.scores[score_set][node]
    # Permuted scores are another candidate's: what is shown is what the strategy saw.
    source = permutations([name], len(scores))[0] if spec.permuted else np.arange(len(scores))
    used = spec.judges if spec.judges is not None else tuple(range(len(judges)))
    found = []
    for index in range(len(scores)):
        raw = scores[source[index]][list(used)]
        names = [judges[judge] for judge in used]
        missing = {judge: reasons.get((name, int(source[index]), judge), "") for judge in names}
        found.append(
            Option(
                index=index,
                text=texts[name, index],
                scores={
                    judge: None if np.isnan(s) else float(s) for judge, s in zip(names, raw, strict=True)
                },
                reasons={judge: why for judge, why in missing.items() if why},
                adjusted=_adjusted(strategy, names, raw),
                comparisons=_comparisons(strategy, decision, index),
                statistics={
                    statistic: float(column[0, index]) for statistic, column in decision.values.items()
                },
                usable=bool(decision.usable[0, index]),
                accepted=bool(decision.accepted[0, index]),
            )
        )
    return tuple(found)


def _adjusted(strategy: Strategy, names: list[str], raw: npt.NDArray[np.float64]) -> dict[str, float] | None:
    """Adjusted scores of the judges present, as the strategy's rule for missing scores has it."""
    weights, known = strategy.scores.stubbornness, ~np.isnan(raw)
    enough = known.all() if strategy.missing == "last" else known.sum() >= 2
    if weights is None or not enough:
        return None
    values = consensus(raw[known], np.array(weights)[known]).adjusted.tolist()
    return dict(zip([name for name, there in zip(names, known, strict=True) if there], values, strict=True))


def _comparisons(strategy: Strategy, decision: Decision, index: int) -> tuple[Comparison, ...]:
    found = []
    for test in strategy.gate:
        value = float(decision.values[test.statistic][0, index])
        passes = (above if test.side is Side.ABOVE else below)(value, test.limit)
        found.append(Comparison(test.statistic, value, test.side, test.limit, bool(passes)))
    return tuple(found)
