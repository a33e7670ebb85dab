"""Ways a step goes wrong, to train judges on and to test them with.

Belongs here: functions that turn a right step into a wrong (or off-topic) one. ``TRAINED`` kinds are in the
judges' training data; ``HELD_OUT`` kinds never are and measure whether judges generalise.
"""

# ruff: noqa: ARG001 - every kind has the same signature, few need all of it

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from verdict_assets.scenes.language import Answer, Conclusion, Fact, Step
from verdict_assets.scenes.oracle import conclusions, needed_facts, scene_facts, stated, true_fact
from verdict_assets.scenes.questions import DIRECTIONS, LETTERS, SceneQuestion
from verdict_assets.scenes.world import COLOURS, DEPTHS, SHAPES, Scene


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step stands: in which scene, under which question, after which steps."""

    scene: Scene
    question: SceneQuestion
    prefix: Sequence[str]


Corruption = Callable[[random.Random, Place, Step], Step | None]
"""Returns the corrupted step, or None where the kind does not apply."""

_TOP = {"column": 6, "row": 6, "depth": DEPTHS}


def regap(place: Place, fact: Fact) -> Fact:
    """``fact`` with the gap that its own depth and the stated (else the true) anchor depth give."""
    if fact.gap is None or place.question.anchor is None:
        return fact
    key = ("depth", place.question.anchor)
    anchor = stated(place.prefix)[0].get(key) or true_fact(place.scene, place.question, key)
    return fact if anchor is None else replace(fact, gap=abs(fact.value - anchor.value))


def shift(rng: random.Random, place: Place, step: Step) -> Step | None:
    """A value that is off, mostly by one."""
    if not isinstance(step, Fact):
        return None
    low, high = (0, 4) if step.shape else (1, _TOP[step.attribute])
    value = step.value + rng.choice((-1, 1)) * rng.choice((1, 1, 1, 2, 2, 3, 4))
    if not low <= value <= high:
        return None
    return regap(place, replace(step, value=value))


def gap_slip(rng: random.Random, place: Place, step: Step) -> Step | None:
    """The depth is kept, the difference from the anchor is miscalculated."""
    if not isinstance(step, Fact) or step.gap is None:
        return None
    gap = step.gap + rng.choice((-1, 1))
    return None if not 0 <= gap < DEPTHS else replace(step, gap=gap)


def attribute(rng: random.Random, place: Place, step: Step) -> Step | None:
    """A true fact of the same object that nobody asked for."""
    if not isinstance(step, Fact) or step.shape:
        return None
    other = rng.choice([name for name in _TOP if name != step.attribute])
    thing = place.scene.named(step.subject)
    if thing is None:
        return None
    return Fact(other, step.subject, {"column": thing.column, "row": thing.row, "depth": thing.depth}[other])


def stranger(rng: random.Random, place: Place, step: Step) -> Step | None:
    """An object outside the question: one of the place.scene, or one that does not exist."""
    if not isinstance(step, Fact) or step.shape:
        return None
    present = [t.name for t in place.scene.things if t.name not in place.question.names]
    colours = {t.colour for t in place.scene.things}
    absent = [f"{colour} {rng.choice(SHAPES)}" for colour in COLOURS if colour not in colours]
    name = rng.choice(present if present and rng.random() < 0.4 else absent)
    truth = true_fact(place.scene, place.question, (step.attribute, name))
    return replace(step, subject=name, value=step.value if truth is None else truth.value)


def other_shape(rng: random.Random, place: Place, step: Step) -> Step | None:
    """The count of another shape than the one asked for."""
    if not isinstance(step, Fact) or not step.shape:
        return None
    shape = rng.choice([s for s in SHAPES if s != step.shape])
    return replace(step, shape=shape, value=place.scene.count(shape, step.subject))


def repeat(rng: random.Random, place: Place, step: Step) -> Step | None:
    """A fact that was stated before."""
    facts = list(stated(place.prefix)[0].values())
    return rng.choice(facts) if facts else None


def misconclude(rng: random.Random, place: Place, step: Step) -> Step | None:
    """Another direction, total or winner than the facts license."""
    if not isinstance(step, Conclusion):
        return None
    if step.kind == "relation":
        return replace(step, direction=rng.choice([d for d in DIRECTIONS if d != step.direction]))
    if step.kind == "count":
        value = (step.value or 0) + rng.choice((-2, -1, -1, 1, 1, 2))
        return replace(step, value=value) if value >= 0 else None
    facts = stated(place.prefix)[0]
    name = rng.choice([option for option in place.question.options if option != step.subject])
    fact = facts.get(("depth", name))
    if fact is None:
        return None
    value = fact.value if fact.gap is None else fact.gap
    return replace(step, subject=name, value=value if rng.random() < 0.7 else step.value)


def true_conclusion(rng: random.Random, place: Place, step: Step) -> Step | None:
    """What the scene would license, though the stated facts may say otherwise."""
    if not isinstance(step, Conclusion):
        return None
    found = conclusions(place.question, scene_facts(place.scene, place.question))
    return found[0] if found else None


def letter(rng: random.Random, place: Place, step: Step) -> Step | None:
    """Another option letter."""
    if not isinstance(step, Answer):
        return None
    return Answer(rng.choice([x for x in LETTERS if x != step.letter]))


def swap(rng: random.Random, place: Place, step: Step) -> Step | None:
    """The value of another object of the question: a binding error."""
    if not isinstance(step, Fact):
        return None
    pool = place.question.subjects if step.shape else place.question.names
    others = [
        true_fact(place.scene, place.question, (step.attribute, name))
        for name in pool
        if name != step.subject
    ]
    values = [fact.value for fact in others if fact is not None and fact.value != step.value]
    return None if not values else regap(place, replace(step, value=rng.choice(values)))


def wrong_shape(rng: random.Random, place: Place, step: Step) -> Step | None:
    """The right colour and value, but a shape that this object does not have."""
    if not isinstance(step, Fact) or step.shape:
        return None
    colour, shape = step.subject.split()
    return replace(step, subject=f"{colour} {rng.choice([s for s in SHAPES if s != shape])}")


def premature(rng: random.Random, place: Place, step: Step) -> Step | None:
    """An answer before the facts it would need are stated."""
    facts = stated(place.prefix)[0]
    if not isinstance(step, Fact) or all(key in facts for key in needed_facts(place.question)):
        return None
    return Answer(rng.choice(LETTERS))


TRAINED: dict[str, Corruption] = {
    "shift": shift,
    "gap_slip": gap_slip,
    "attribute": attribute,
    "stranger": stranger,
    "other_shape": other_shape,
    "repeat": repeat,
    "misconclude": misconclude,
    "true_conclusion": true_conclusion,
    "letter": letter,
}
HELD_OUT: dict[str, Corruption] = {"swap": swap, "wrong_shape": wrong_shape, "premature": premature}
