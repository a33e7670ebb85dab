"""Apply a strategy at judged nodes: which candidate is chosen, and why.

Belongs here: gate, rank, fallback and ties for many nodes at once. Does not belong here: statistics of
scores (`statistics`), nor what follows from a choice (`replay`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from verdict_assets.verification.consensus import TOLERANCE, above, below
from verdict_assets.verification.statistics import profile
from verdict_assets.verification.strategy import Scores, Side, Statistic, Strategy, Threshold
from verdict_assets.verification.tree import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Decision:
    """The choice at k nodes with n candidates each, and what it rests on."""

    chosen: IntArray  # [k] index of the chosen candidate
    accepted: BoolArray  # [k, n] passed every test of the gate
    usable: BoolArray  # [k, n] had the scores the strategy needs
    missing: IntArray  # [k, n] scores missing among those the strategy needs
    fallback: BoolArray  # [k] no candidate was accepted
    tie: BoolArray  # [k] another candidate was within the tolerance of the chosen one
    values: Mapping[Statistic, FloatArray]  # each [k, n]: every statistic the strategy tests or ranks by


def decide(strategy: Strategy, scores: FloatArray, node_ids: Sequence[str]) -> Decision:
    """Choose at k nodes with raw scores [k, n, m] (NaN where missing) and the caller's node ids [k].

    Where no candidate is usable, index 0 is chosen. The ids matter only to strategies with permuted scores.
    Raises ValueError if the strategy needs other judges than the scores have.
    """
    raw = _judges_in_use(scores, strategy.scores)
    if strategy.scores.permuted:
        raw = np.take_along_axis(raw, permutations(node_ids, scores.shape[1])[:, :, np.newaxis], axis=1)
    wanted = {test.statistic for test in strategy.gate} | {strategy.rank, strategy.fallback}
    seen = profile(raw, strategy.scores, strategy.missing, sorted(wanted))
    accepted = seen.usable.copy()
    for test in strategy.gate:
        accepted &= _passes(test, seen.values[test.statistic])
    fallback = np.asarray(~accepted.any(axis=1))
    best = _best(seen.values[strategy.rank], accepted)
    best[fallback] = _best(seen.values[strategy.fallback], seen.usable)[fallback]
    # With the statistic INDEX every candidate has the same value by design: a draw, not a tie.
    drawn = np.where(fallback, strategy.fallback is Statistic.INDEX, strategy.rank is Statistic.INDEX)
    return Decision(
        chosen=best.argmax(axis=1),
        accepted=accepted,
        usable=seen.usable,
        missing=seen.missing,
        fallback=fallback,
        tie=(best.sum(axis=1) > 1) & ~drawn,
        values=seen.values,
    )


def permutations(node_ids: Sequence[str], candidates: int) -> IntArray:
    """A permutation of the candidates of each node [k, n]: uniform, and fixed by the node id alone."""
    words = b"".join(
        hashlib.shake_256(f"permutation {node}".encode()).digest(8 * candidates) for node in node_ids
    )
    keys = np.frombuffer(words, dtype="<u8").reshape(len(node_ids), candidates)
    return np.argsort(keys, axis=1, kind="stable")


def _judges_in_use(scores: FloatArray, spec: Scores) -> FloatArray:
    judges = scores.shape[2]
    if spec.judges is not None:
        if spec.judges[-1] >= judges:
            raise ValueError(
                f"the strategy uses judge {spec.judges[-1]}, but the scores have {judges} judges"
            )
        scores = scores[:, :, list(spec.judges)]
    if spec.stubbornness is not None and len(spec.stubbornness) != scores.shape[2]:
        raise ValueError(
            f"the strategy has {len(spec.stubbornness)} stubbornness values for {scores.shape[2]} judges"
        )
    return scores


def _passes(test: Threshold, values: FloatArray) -> BoolArray:
    return above(values, test.limit) if test.side is Side.ABOVE else below(values, test.limit)


def _best(values: FloatArray, eligible: BoolArray) -> BoolArray:
    """[k, n] the eligible candidates within the tolerance of the largest value among them."""
    masked = np.where(eligible, values, -np.inf)
    return np.asarray(eligible & (masked >= masked.max(axis=1, keepdims=True) - TOLERANCE))
