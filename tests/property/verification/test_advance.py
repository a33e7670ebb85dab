"""Walking on over a growing tree waits for exactly what a replay from the roots waits for."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.verification.advance import Expedition
from verdict_assets.verification.catalogue import named_strategies
from verdict_assets.verification.records import Frontier
from verdict_assets.verification.replay import replay
from verdict_assets.verification.tree import End, Tree, TreeBuilder

WALKERS = [(strategy, "greedy") for strategy in named_strategies({}).values()]
WALKERS += [(named_strategies({})["verdict"], "sampled-0")]


def grow(draws: random.Random, builder: TreeBuilder, tree: Tree, frontier: Frontier) -> None:
    """Meet a random half of the needs."""

    def met() -> bool:
        return draws.random() < 0.5

    counts = frontier.candidates_count.tolist()
    for node, count in zip(frontier.candidates.tolist(), counts, strict=True):
        if met():
            name = tree.ids[node]
            children = [f"{name}/{index}" for index in range(count)]
            for child in children:
                ends = tree.depth[node] > 3 or child.endswith("2")
                builder.add_node(child, name, End.EOS if ends else End.NONE)
            builder.set_candidates(name, children)
    for node, score_set in frontier.scores:
        if met():
            scores = np.array([[draws.randrange(11) / 10 for _ in range(3)] for _ in range(3)])
            builder.set_scores(tree.ids[node], score_set, scores)
    for node in frontier.answers.tolist():
        if met():
            builder.set_answer(tree.ids[node], draws.random() < 0.5)


def assert_equal(one: Frontier, other: Frontier) -> None:
    for field in dataclasses.fields(Frontier):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name


@settings(deadline=None, max_examples=5)
@given(st.integers(0, 2**32))
def test_the_frontier_is_that_of_a_replay(seed: int) -> None:
    draws = random.Random(seed)
    builder = TreeBuilder(candidates=3, judges=3)
    expedition = Expedition(WALKERS)
    for question in range(200):
        if question < 3:
            builder.add_question(f"q{question}", f"root{question}")
        tree = builder.build()
        walked = replay(WALKERS, tree)
        frontier = expedition.advance(tree)
        assert_equal(frontier, walked.frontier)
        closed = walked.outcomes.closed.reshape(len(WALKERS), -1).all(axis=0)
        assert np.array_equal(expedition.closed(tree), closed)
        if question >= 3 and not len(frontier):
            return
        grow(draws, builder, tree, frontier)
    raise AssertionError("the tree did not close")
