"""Replay against an independent one that takes one question and one strategy at a time, in plain Python."""

import math
import random
from dataclasses import dataclass, field, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.verification.bounds import bounds
from verdict_assets.verification.catalogue import named_strategies
from verdict_assets.verification.decide import permutations
from verdict_assets.verification.replay import Replay, replay
from verdict_assets.verification.strategy import Missing, Side, Statistic, Stop, Strategy
from verdict_assets.verification.sweeps import sweep_points
from verdict_assets.verification.tree import End, Tree, TreeBuilder

CANDIDATES = 3
JUDGES = 3
SETS = ("greedy", "sampled-0")
NAMED = named_strategies({})
STRATEGIES = [
    *NAMED.values(),
    *(points[slug] for points in sweep_points({}).values() for slug in list(points)[:2]),
    replace(NAMED["verdict"], name="verdict_two_steps", stop=Stop(judged_steps=2)),
    replace(NAMED["variance"], name="variance_present", missing=Missing.PRESENT),
]
WALKERS = [(strategy, score_set) for score_set in SETS for strategy in STRATEGIES]


@dataclass
class Node:
    """What the walker knows of a place: nothing here is shared with the package but the enums."""

    name: str
    end: End = End.NONE
    judged: bool = False
    children: list["Node"] = field(default_factory=list)
    scores: dict[str, list[list[float]]] = field(default_factory=dict)
    answer: bool | None = None


@dataclass
class Path:
    """Where a walk went and why it stopped."""

    steps: list[tuple[object, ...]] = field(default_factory=list)
    leaf: Node | None = None
    needs: tuple[str, ...] = ()


# The walker.


def follow(strategy: Strategy, score_set: str, root: Node) -> Path:
    path, node, judged_steps = Path(), root, 0
    limit = math.inf if strategy.stop.judged_steps is None else strategy.stop.judged_steps
    while node.end is End.NONE:
        if node.judged and judged_steps < limit:
            if len(node.children) < CANDIDATES:
                path.needs = ("candidates", node.name, "all")
                return path
            if score_set not in node.scores:
                path.needs = ("scores", node.name, score_set)
                return path
            step = choose(strategy, node.scores[score_set], node.name)
            judged_steps += 1
        else:
            if not node.children:
                path.needs = ("candidates", node.name, "first")
                return path
            step = (0, False, 0, False, False, 0, 0)
        path.steps.append((node.name, *step))
        node = node.children[step[0]]
    path.leaf = node
    if node.answer is None:
        path.needs = ("answers", node.name)
    return path


def choose(
    strategy: Strategy, table: list[list[float]], name: str
) -> tuple[int, bool, int, bool, bool, int, int]:
    """chosen, judged, accepted count, fallback, tie, incomplete candidates, missing scores."""
    used = list(range(JUDGES)) if strategy.scores.judges is None else list(strategy.scores.judges)
    rows = [[row[judge] for judge in used] for row in table]
    if strategy.scores.permuted:
        rows = [rows[k] for k in permutations([name], len(rows))[0]]
    gaps = [sum(math.isnan(score) for score in row) for row in rows]
    usable = [gap == 0 or (strategy.missing is Missing.PRESENT and len(used) - gap >= 2) for gap in gaps]
    seen = [
        statistics(row, strategy.scores.stubbornness) if able else {}
        for row, able in zip(rows, usable, strict=True)
    ]
    accepted = [
        able
        and all(
            (stats[test.statistic] - test.limit > 1e-9)
            if test.side is Side.ABOVE
            else (test.limit - stats[test.statistic] > 1e-9)
            for test in strategy.gate
        )
        for able, stats in zip(usable, seen, strict=True)
    ]
    counts = (sum(gap > 0 for gap in gaps), sum(gaps))
    fallback = not any(accepted)
    pool = [k for k, fit in enumerate(usable if fallback else accepted) if fit]
    if not pool:
        return (0, True, 0, True, False, *counts)
    by = strategy.fallback if fallback else strategy.rank
    if by is Statistic.INDEX:
        return (pool[0], True, sum(accepted), fallback, False, *counts)
    best = max(seen[k][by] for k in pool)
    tied = [k for k in pool if best - seen[k][by] <= 1e-9]
    return (tied[0], True, sum(accepted), fallback, len(tied) > 1, *counts)


def statistics(row: list[float], stubbornness: tuple[float, ...] | None) -> dict[Statistic, float]:
    present = [i for i, score in enumerate(row) if not math.isnan(score)]
    values = [row[i] for i in present]
    if stubbornness is not None:
        values = solve(values, [stubbornness[i] for i in present])
    m = len(values)
    mean = sum(values) / m
    dispersion = sum(abs(value - mean) for value in values) / m
    return {
        Statistic.MEAN: mean,
        Statistic.DISPERSION: dispersion,
        Statistic.MEAN_MINUS_DISPERSION: mean - dispersion,
        Statistic.VARIANCE: sum((value - mean) ** 2 for value in values) / m,
        Statistic.MAXIMUM: max(values),
        Statistic.MINIMUM: min(values),
        Statistic.VOTES: sum(value > 0.5 + 1e-9 for value in values) / m,
    }


def solve(scores: list[float], weights: list[float]) -> list[float]:
    m = len(scores)
    matrix = np.full((m, m), -1 / (m - 1))
    np.fill_diagonal(matrix, 1 + np.array(weights))
    solution: list[float] = np.linalg.solve(matrix, np.array(weights) * np.array(scores)).tolist()
    return solution


# Random trees, known in parts.


def grow(rng: random.Random, name: str, depth: int, known: float, judge_first_step: bool) -> Node:
    """A random subtree; `known` is the chance that a fact is already known."""
    if depth > 0 and (depth >= 5 or rng.random() < 0.25):
        end = rng.choice([End.EOS, End.CAP, End.LOOP, End.EMPTY])
        answer = rng.random() < 0.5 if rng.random() < known else None
        return Node(name, end=end, answer=answer)
    node = Node(name, judged=depth > 0 or judge_first_step)
    wanted = CANDIDATES if node.judged else 1
    have = wanted if rng.random() < known else rng.randrange(wanted)
    texts = [rng.randrange(2 * CANDIDATES) for _ in range(have)]
    below = {t: grow(rng, f"{name}.{t}", depth + 1, known, judge_first_step) for t in sorted(set(texts))}
    node.children = [below[text] for text in texts]
    if node.judged and have == CANDIDATES:
        for score_set in SETS:
            if rng.random() < known:
                node.scores[score_set] = [
                    [math.nan if rng.random() < 0.1 else rng.randrange(11) / 10 for _ in range(JUDGES)]
                    for _ in range(CANDIDATES)
                ]
    return node


def state(builder: TreeBuilder, node: Node) -> None:
    for child in node.children:
        builder.add_node(child.name, node.name, child.end)
    builder.set_candidates(node.name, [child.name for child in node.children])
    for score_set, table in node.scores.items():
        builder.set_scores(node.name, score_set, np.array(table))
    if node.answer is not None:
        builder.set_answer(node.name, node.answer)
    for child in {child.name: child for child in node.children}.values():
        state(builder, child)


def forest(seed: int, known: float, judge_first_step: bool = False) -> tuple[list[Node], Tree]:
    rng = random.Random(seed)
    roots = [grow(rng, f"q{q}", 0, known, judge_first_step) for q in range(rng.randrange(1, 5))]
    builder = TreeBuilder(candidates=CANDIDATES, judges=JUDGES, judge_first_step=judge_first_step)
    for root in roots:
        builder.add_question(f"question {root.name}", root.name)
        state(builder, root)
    return roots, builder.build()


FORESTS = st.builds(forest, st.integers(0, 2**32), st.sampled_from([0.3, 0.8, 0.95, 1.0]), st.booleans())


# The comparison.


@given(FORESTS)
@settings(deadline=None, max_examples=60)
def test_selections_and_outcomes(grown: tuple[list[Node], Tree]) -> None:
    roots, tree = grown
    result = replay(WALKERS, tree)
    expected_steps, expected_outcomes = [], []
    for walker, (strategy, score_set) in enumerate(WALKERS):
        for question, root in enumerate(roots):
            path = follow(strategy, score_set, root)
            expected_steps.extend((walker, question, *step) for step in path.steps)
            judged = [step for step in path.steps if step[2]]
            closed = path.leaf is not None and path.leaf.answer is not None
            expected_outcomes.append(
                (
                    walker,
                    question,
                    closed,
                    None if path.leaf is None else path.leaf.name,
                    closed and bool(path.leaf is not None and path.leaf.answer),
                    len(path.steps),
                    len(judged),
                    sum(bool(step[4]) for step in judged),
                    CANDIDATES * len(judged),
                    sum(int(str(step[3])) for step in judged),
                    sum(int(str(step[7])) for step in judged),
                )
            )
    assert selection_rows(result, tree) == expected_steps
    assert outcome_rows(result, tree) == expected_outcomes


def selection_rows(result: Replay, tree: Tree) -> list[tuple[object, ...]]:
    s = result.selections
    assert s.step.tolist() == tree.depth[s.node].tolist()
    names = [tree.ids[node] for node in s.node.tolist()]
    after = (s.chosen, s.judged, s.accepted_count, s.fallback, s.tie, s.incomplete, s.missing_scores)
    columns = [s.walker.tolist(), s.question.tolist(), names, *(column.tolist() for column in after)]
    return list(zip(*columns, strict=True))


def outcome_rows(result: Replay, tree: Tree) -> list[tuple[object, ...]]:
    o = result.outcomes
    leaves = [None if leaf < 0 else tree.ids[leaf] for leaf in o.leaf.tolist()]
    before = (o.walker, o.question, o.closed)
    counts = (o.steps, o.judged_steps, o.fallback_steps, o.judged_candidates, o.accepted_candidates)
    after = (o.correct, *counts, o.missing_scores)
    columns = [*(column.tolist() for column in before), leaves, *(column.tolist() for column in after)]
    return list(zip(*columns, strict=True))


@given(FORESTS)
@settings(deadline=None, max_examples=60)
def test_frontier(grown: tuple[list[Node], Tree]) -> None:
    roots, tree = grown
    waiting: dict[tuple[str, ...], int] = {}
    all_needed = set()
    for strategy, score_set in WALKERS:
        for root in roots:
            needs = follow(strategy, score_set, root).needs
            if needs:
                key = needs[:2] if needs[0] == "candidates" else needs
                waiting[key] = waiting.get(key, 0) + 1
                if needs[-1] == "all":
                    all_needed.add(needs[1])
    result = replay(WALKERS, tree)
    f = result.frontier
    found: dict[tuple[str, ...], int] = {}
    for node, count, walkers in zip(f.candidates, f.candidates_count, f.candidates_waiting, strict=True):
        found["candidates", tree.ids[node]] = walkers
        assert count == (CANDIDATES if tree.ids[node] in all_needed else 1)
    for (at, score_set), walkers in zip(f.scores, f.scores_waiting, strict=True):
        found["scores", tree.ids[at], score_set] = walkers
    for node, walkers in zip(f.answers, f.answers_waiting, strict=True):
        found["answers", tree.ids[node]] = walkers
    assert found == waiting
    assert len(f) == len(waiting)
    assert (len(f) == 0) == bool(result.outcomes.closed.all())


@given(FORESTS)
@settings(deadline=None, max_examples=30)
def test_every_walker_is_on_its_own(grown: tuple[list[Node], Tree]) -> None:
    """Replaying a strategy alone gives the rows it has among the others."""
    _, tree = grown
    together = replay(WALKERS, tree)
    for walker in (0, 1, len(WALKERS) - 1):
        alone = replay([WALKERS[walker]], tree)
        rows = together.outcomes.walker == walker
        assert alone.outcomes.leaf.tolist() == together.outcomes.leaf[rows].tolist()
        steps = together.selections.walker == walker
        assert alone.selections.chosen.tolist() == together.selections.chosen[steps].tolist()


@given(st.integers(0, 2**32), st.sampled_from([0.5, 0.9]))
@settings(deadline=None, max_examples=30)
def test_bounds_hold_whatever_is_still_to_come(seed: int, known: float) -> None:
    """The same forest with all facts known closes every walker, within the bounds of the partial one."""
    roots, tree = forest(seed, known)
    partial = bounds(replay(WALKERS, tree).outcomes, len(WALKERS))
    rng = random.Random(seed)
    builder = TreeBuilder(candidates=CANDIDATES, judges=JUDGES)
    for root in roots:
        complete(rng, root, 0)
        builder.add_question(f"question {root.name}", root.name)
        state(builder, root)
    whole = bounds(replay(WALKERS, builder.build()).outcomes, len(WALKERS))
    assert (whole.closed == whole.questions).all()
    assert (whole.lower == whole.upper).all()
    assert (partial.lower <= whole.lower).all()
    assert (whole.upper <= partial.upper).all()


def complete(rng: random.Random, node: Node, depth: int) -> None:
    """Add every fact that is missing below a node, and change none that is known."""
    if node.end is not End.NONE:
        node.answer = rng.random() < 0.5 if node.answer is None else node.answer
        return
    for index in range(len(node.children), CANDIDATES if node.judged else 1):
        node.children.append(grow(rng, f"{node.name}.new{index}", depth + 1, 1.0, False))
    if node.judged:
        for score_set in SETS:
            table = [[rng.randrange(11) / 10 for _ in range(JUDGES)] for _ in range(CANDIDATES)]
            node.scores.setdefault(score_set, table)
    for child in {child.name: child for child in node.children}.values():
        complete(rng, child, depth + 1)


@given(FORESTS)
@settings(deadline=None, max_examples=20)
def test_same_bytes_on_every_run(grown: tuple[list[Node], Tree]) -> None:
    _, tree = grown
    one, other = replay(WALKERS, tree), replay(WALKERS, tree)
    for part in ("selections", "outcomes"):
        for name in getattr(one, part).__dataclass_fields__:
            first, second = getattr(getattr(one, part), name), getattr(getattr(other, part), name)
            assert first.dtype == second.dtype
            assert first.tobytes() == second.tobytes()
