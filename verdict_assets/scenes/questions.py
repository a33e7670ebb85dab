"""Questions about a scene: four kinds, four options each, one right answer.

Belongs here: what is asked and which facts an answer needs. How steps are worded is in ``language``; the
kinds follow CV-Bench (relation, count in 2D; depth, distance in 3D).
"""

import json
import random
from dataclasses import asdict, dataclass

from verdict_assets.scenes.world import QUARTERS, SHAPES, Scene, Thing, make_scene

LETTERS = "ABCD"
KINDS = {"scenes_2d": ("relation", "count"), "scenes_3d": ("depth", "distance")}
"""Benchmark -> kinds of its questions, in equal shares."""
DIRECTIONS = ("above and left", "above and right", "below and left", "below and right")


@dataclass(frozen=True, slots=True)
class SceneQuestion:
    """A question with its options and the facts that a full trace states.

    ``subjects`` are the objects a trace looks at, in order (quarters for a count); ``attribute`` is what it
    reads off each of them; ``anchor`` is the object that a distance is measured from.
    """

    kind: str
    text: str
    options: tuple[str, ...]
    gold: str
    subjects: tuple[str, ...]
    attribute: str
    largest: bool = False
    shape: str | None = None
    anchor: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every object that the question or an option names."""
        own = () if self.anchor is None else (self.anchor,)
        return own + (self.subjects if self.kind != "count" else ())

    def to_json(self) -> str:
        """The question as text."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> "SceneQuestion":
        """The question that `to_json` wrote."""
        raw = json.loads(text)
        return SceneQuestion(**{**raw, "options": tuple(raw["options"]), "subjects": tuple(raw["subjects"])})


def make_question(rng: random.Random, kind: str, split: str, position: int) -> tuple[Scene, SceneQuestion]:
    """A scene and a question of ``kind`` whose right answer is option ``position`` (0-3)."""
    builder = {"relation": _relation, "count": _count, "depth": _depth, "distance": _distance}[kind]
    while True:
        scene = make_scene(rng, split)
        question = builder(rng, scene, position)
        if question is not None:
            return scene, question


def direction(first: tuple[int, int], second: tuple[int, int]) -> str | None:
    """Where ``first`` (column, row) lies seen from ``second``; None when they share a column or a row."""
    if first[0] == second[0] or first[1] == second[1]:
        return None
    return f"{'above' if first[1] < second[1] else 'below'} and {'left' if first[0] < second[0] else 'right'}"


def _with_gold(rng: random.Random, gold: str, others: list[str], position: int) -> tuple[str, ...]:
    rng.shuffle(others)
    return (*others[:position], gold, *others[position:])


def _relation(rng: random.Random, scene: Scene, position: int) -> SceneQuestion | None:
    first, second = rng.sample(scene.things, 2)
    gold = direction((first.column, first.row), (second.column, second.row))
    if gold is None:
        return None
    options = _with_gold(rng, gold, [d for d in DIRECTIONS if d != gold], position)
    return SceneQuestion(
        "relation",
        f"where is the {first.name} seen from the {second.name} ?",
        options,
        LETTERS[position],
        (first.name, second.name),
        "place",
    )


def _count(rng: random.Random, scene: Scene, position: int) -> SceneQuestion | None:
    shape = rng.choice(SHAPES)
    total = scene.count(shape)
    if total < position:
        return None
    options = tuple(str(total - position + i) for i in range(4))
    return SceneQuestion(
        "count", f"how many {shape}s are there ?", options, LETTERS[position], QUARTERS, "number", shape=shape
    )


def _unique_extreme(values: list[int], largest: bool) -> int | None:
    best = max(values) if largest else min(values)
    return values.index(best) if values.count(best) == 1 else None


def _depth(rng: random.Random, scene: Scene, position: int) -> SceneQuestion | None:
    chosen: list[Thing] = rng.sample(scene.things, 4)
    largest = rng.random() < 0.5
    best = _unique_extreme([t.depth for t in chosen], largest)
    if best is None:
        return None
    gold = chosen[best].name
    options = _with_gold(rng, gold, [t.name for t in chosen if t.name != gold], position)
    where = "furthest from" if largest else "closest to"
    return SceneQuestion(
        "depth",
        f"which object is {where} the camera ?",
        options,
        LETTERS[position],
        options,
        "depth",
        largest=largest,
    )


def _distance(rng: random.Random, scene: Scene, position: int) -> SceneQuestion | None:
    anchor, *chosen = rng.sample(scene.things, 5)
    best = _unique_extreme([abs(t.depth - anchor.depth) for t in chosen], largest=False)
    if best is None:
        return None
    gold = chosen[best].name
    options = _with_gold(rng, gold, [t.name for t in chosen if t.name != gold], position)
    return SceneQuestion(
        "distance",
        f"which object is nearest in depth to the {anchor.name} ?",
        options,
        LETTERS[position],
        options,
        "gap",
        anchor=anchor.name,
    )
