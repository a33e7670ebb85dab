"""How much there is to choose: distinct candidates, what choosing by truth would reach, the size of the tree.

Belongs here: properties of the recorded tree and of Base. Does not belong here: what judges say (`judges`).
"""

from __future__ import annotations

import pandas as pd

from verdict_assets.analysis.diagnostics.metric import Metric, ratio, share
from verdict_assets.analysis.diagnostics.rows import World
from verdict_assets.analysis.statistics.intervals import wilson


def measure(world: World, reference: str, confidence: float) -> list[Metric]:
    """Metrics on the `reference` strategy's judged steps, on Base, and on the whole recorded tree."""
    return [
        _accuracy("base_accuracy", world.outcomes[world.outcomes["strategy"] == "base"], confidence),
        _distinct(world.judged_on_path(reference)),
        _closure(world, reference),
        *_chosen(world, confidence),
        *_by_truth(world, confidence),
    ]


def _accuracy(name: str, outcomes: pd.DataFrame, confidence: float) -> Metric:
    """Right among all questions; no value while a question is unfinished."""
    closed = bool(outcomes["closed"].all())
    correct, asked = int(outcomes["correct"].fillna(False).sum()), len(outcomes)
    if not closed:
        return Metric(name, None, correct, asked)
    return ratio(name, correct, asked, wilson(correct, asked, confidence))


def _distinct(judged: pd.DataFrame) -> Metric:
    """Different texts per judged step: 1 leaves nothing to choose."""
    texts = judged.groupby("node", sort=True)["text"].nunique()
    return ratio("distinct_candidates", int(texts.sum()), len(texts))


def _closure(world: World, reference: str) -> Metric:
    """Nodes that any declared strategy visits, in nodes of one strategy's path: the price of exactness."""
    one = int((world.selections["strategy"] == reference).sum())
    return ratio("closure_factor", int(world.selections["node"].nunique()), one)


def _chosen(world: World, confidence: float) -> list[Metric]:
    """Per strategy, the share of its readable steps after the first that are sound."""
    picks = world.selections[world.selections["step"] > 0].merge(
        world.steps[["node", "candidate", "readable", "sound"]].rename(columns={"candidate": "chosen"}),
        on=["node", "chosen"],
        how="left",
    )
    picks = picks[picks["readable"].astype("boolean").fillna(False)]
    return [
        share(f"chosen_sound_{strategy}", rows["sound"], rows["question_id"], confidence)
        for strategy, rows in picks.groupby("strategy", sort=True)
    ]


def _by_truth(world: World, confidence: float) -> list[Metric]:
    """What choosing by the oracle's labels reaches: the first sound candidate, or the first if none is.

    Such a chooser leaves the tree that the declared strategies opened; there its path is unfinished, and
    only bounds are known. `any_leaf_right` needs no chooser: some recorded leaf of the question has the
    right answer.
    """
    right = dict(zip(world.answers["node"], world.answers["correct"].astype(bool), strict=True))
    finished = [right.get(leaf) for leaf in _truth_leaves(world)]
    asked = int(world.outcomes["question_id"].nunique())
    correct, done = sum(value is True for value in finished), sum(value is not None for value in finished)
    reached = {
        q for q, good in zip(world.answers["question_id"], world.answers["correct"], strict=True) if good
    }
    interval = wilson(correct, asked, confidence) if done == asked else None
    accuracy = correct / asked if asked and done == asked else None
    return [
        Metric("truth_choice_accuracy", accuracy, correct, asked, interval),
        ratio("truth_choice_finished", done, asked),
        ratio("truth_choice_if_unfinished_wrong", correct, asked),
        ratio("truth_choice_if_unfinished_right", correct + asked - done, asked),
        ratio("any_leaf_right", len(reached), asked, wilson(len(reached), asked, confidence)),
    ]


def _truth_leaves(world: World) -> list[str | None]:
    """Per question with a recorded root, the leaf of the truth-guided path, None off the tree."""
    options: dict[str, list[tuple[int, bool, str | None]]] = {}
    columns = (world.steps[name].tolist() for name in ("node", "candidate", "sound", "child"))
    for node, index, sound, child in zip(*columns, strict=True):
        options.setdefault(node, []).append(
            (int(index), bool(sound), child if isinstance(child, str) else None)
        )
    first = world.steps[world.steps["depth"] == 0].drop_duplicates("question_id")
    leaves: list[str | None] = []
    for root in first["node"]:
        at: str | None = str(root)
        while at is not None and at in options:
            known = options[at]
            # Below the root every judged place has several candidates; a place with one was Base's alone.
            at = None if at != root and len(known) == 1 else min(known, key=lambda c: (not c[1], c[0]))[2]
        leaves.append(at)
    return leaves
