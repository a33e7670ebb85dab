"""The scenes world for any seed: scenes are clean, sentences are read back, true traces are true."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.scenes.corruptions import HELD_OUT, TRAINED, Place
from verdict_assets.scenes.language import (
    ANSWERS,
    CONCLUSIONS,
    FACTS,
    PLANS,
    Answer,
    Conclusion,
    Fact,
    Plan,
    Step,
    option_letter,
    plan_core,
    read,
    write,
)
from verdict_assets.scenes.oracle import UNREADABLE, conclusions, label_step, letter_of, scene_facts
from verdict_assets.scenes.probe import RIGHT, probe_items
from verdict_assets.scenes.questions import DIRECTIONS, KINDS, LETTERS, SceneQuestion, make_question
from verdict_assets.scenes.rubrics import RUBRICS, grade
from verdict_assets.scenes.traces import make_trace
from verdict_assets.scenes.world import (
    CELL,
    COLOURS,
    COLUMNS,
    DEPTHS,
    QUARTERS,
    ROWS,
    SHAPES,
    SIDE,
    Scene,
    make_scene,
)

SEEDS = st.integers(0, 2**32)
ALL_KINDS = [kind for kinds in KINDS.values() for kind in kinds]
SPLITS = st.sampled_from(["train", "test"])
NAMES = st.builds("{} {}".format, st.sampled_from(list(COLOURS)), st.sampled_from(SHAPES))
VALUES = st.integers(0, 99)
MAYBE = st.none() | VALUES
few = settings(deadline=None, max_examples=40)
many = settings(deadline=None, max_examples=200)

plans = st.builds(Plan, st.sampled_from([
    "find column and row of both objects", "compare the depth of the four objects",
    *(f"count the {shape}s in each quarter" for shape in SHAPES),
    *(f"compare each depth with the {colour} {shape}" for colour in COLOURS for shape in SHAPES),
]))  # fmt: skip
facts = st.builds(Fact, st.sampled_from(["column", "row", "depth"]), NAMES, VALUES, MAYBE) | st.builds(
    lambda quarter, value, shape: Fact("number", quarter, value, shape=shape),
    st.sampled_from(QUARTERS),
    VALUES,
    st.sampled_from(SHAPES),
)
closings = (
    st.builds(
        lambda name, where, other: Conclusion("relation", name, direction=where, reference=other),
        NAMES,
        st.sampled_from(DIRECTIONS),
        NAMES,
    )
    | st.builds(lambda shape, value: Conclusion("count", shape, value=value), st.sampled_from(SHAPES), VALUES)
    | st.builds(
        lambda kind, name, value, largest: Conclusion(kind, name, value=value, largest=largest),
        st.sampled_from(["depth", "distance"]),
        NAMES,
        VALUES,
        st.booleans(),
    )
)
steps = plans | facts | closings | st.builds(Answer, st.sampled_from(LETTERS))


class Nth(random.Random):
    """Chooses always the same place of a list, counted round, so that every template is written."""

    def __init__(self, at: int) -> None:
        super().__init__(0)
        self.at = at

    def choice(self, seq):  # type: ignore[no-untyped-def]
        return seq[self.at % len(seq)]


@st.composite
def worlds(draw: st.DrawFn, kinds: list[str] = ALL_KINDS) -> tuple[random.Random, Scene, SceneQuestion]:
    rng = random.Random(draw(SEEDS))
    scene, question = make_question(rng, draw(st.sampled_from(kinds)), "train", draw(st.integers(0, 3)))
    return rng, scene, question


@few
@given(SEEDS, SPLITS)
def test_objects_lie_apart_within_the_picture_one_to_a_cell_and_colour(seed: int, split: str) -> None:
    scene = make_scene(random.Random(seed), split)
    assert scene.split == split
    things = scene.things
    assert len({thing.colour for thing in things}) == len(things)
    assert len({(thing.x // CELL, thing.y // CELL) for thing in things}) == len(things)
    for at, one in enumerate(things):
        assert one.radius < one.x < SIDE - one.radius and one.radius < one.y < SIDE - one.radius
        for other in things[at + 1 :]:
            apart = (one.x - other.x) ** 2 + (one.y - other.y) ** 2
            assert apart > (one.radius + other.radius) ** 2
        assert 1 <= one.column <= COLUMNS and 1 <= one.row <= ROWS and 1 <= one.depth <= DEPTHS
        assert one.quarter in QUARTERS
    assert Scene.from_json(scene.to_json()) == scene


@few
@given(SEEDS, st.sampled_from(ALL_KINDS), st.integers(0, 3))
def test_one_seed_is_one_question(seed: int, kind: str, position: int) -> None:
    first, again = (make_question(random.Random(seed), kind, "train", position) for _ in range(2))
    assert first == again
    question = first[1]
    assert SceneQuestion.from_json(question.to_json()) == question
    assert question.gold == LETTERS[position]
    assert len(set(question.options)) == len(LETTERS)


ASKED = [make_question(random.Random(at), kind, "train", at % 4)[1] for at, kind in enumerate(ALL_KINDS * 3)]


@many
@given(steps, st.sampled_from(ASKED))
def test_what_is_written_is_read_back_in_every_wording(step: Step, question: SceneQuestion) -> None:
    for at in range(max(map(len, (PLANS, FACTS, CONCLUSIONS, ANSWERS)))):
        text = write(step, question, Nth(at))
        found = read(text)
        assert found == step
        assert read(f"  {text} ") == step
        if isinstance(found, Fact) or (isinstance(found, Conclusion) and found.kind in ("depth", "distance")):
            assert found.letter == option_letter(found.subject, question)


@many
@given(steps, st.sampled_from(ASKED), st.sampled_from(["{}!", "well , {}", "{} and so on", "{} {}"]))
def test_a_sentence_with_more_in_it_is_not_read(step: Step, question: SceneQuestion, frame: str) -> None:
    assert read(frame.format(write(step, question, Nth(0)), "x")) is None


@few
@given(st.text(max_size=60), worlds())
def test_what_cannot_be_read_gets_no_truth(
    text: str, world: tuple[random.Random, Scene, SceneQuestion]
) -> None:
    _, scene, question = world
    if read(text) is None:
        assert label_step(scene, question, (), text) == UNREADABLE


def test_unreadable_has_no_truth_values() -> None:
    assert not UNREADABLE.readable
    assert (UNREADABLE.true_of_scene, UNREADABLE.follows, UNREADABLE.relevant) == (None, None, None)


@few
@given(worlds())
def test_a_true_trace_is_true_and_ends_in_the_right_answer(
    world: tuple[random.Random, Scene, SceneQuestion],
) -> None:
    rng, scene, question = world
    lines = make_trace(rng, scene, question, noise=0.0)
    texts = [line.text for line in lines]
    assert not any(line.planted for line in lines)
    for at, text in enumerate(texts):
        label = label_step(scene, question, texts[:at], text)
        assert (label.readable, label.true_of_scene, label.follows, label.relevant) == (True,) * 4
        assert [grade(rubric, scene, question, texts[:at], text) for rubric in RUBRICS] == [1.0] * 3
    assert lines[0].step == Plan(plan_core(question))
    assert lines[-1].step == Answer(question.gold)
    licensed = conclusions(question, scene_facts(scene, question))
    assert {letter_of(question, conclusion) for conclusion in licensed} == {question.gold}


@few
@given(worlds(), st.floats(0, 1))
def test_a_trace_with_errors_still_follows_from_itself(
    world: tuple[random.Random, Scene, SceneQuestion], noise: float
) -> None:
    rng, scene, question = world
    texts = [line.text for line in make_trace(rng, scene, question, noise)]
    for at in range(len(texts) - 2):
        assert label_step(scene, question, texts[:at], texts[at]).follows


@few
@given(worlds(), steps, st.integers(0, 6))
def test_grades_lie_on_the_grid(
    world: tuple[random.Random, Scene, SceneQuestion], step: Step, after: int
) -> None:
    rng, scene, question = world
    prefix = [line.text for line in make_trace(rng, scene, question, 0.5)][:after]
    for rubric in RUBRICS:
        found = grade(rubric, scene, question, prefix, write(step, question, rng))
        assert 0.0 <= found <= 1.0
        assert found == round(found, 1)


@few
@given(worlds())
def test_a_corruption_says_something_else(world: tuple[random.Random, Scene, SceneQuestion]) -> None:
    rng, scene, question = world
    lines = make_trace(rng, scene, question, noise=0.0)
    for at in range(1, len(lines)):
        prefix = [line.text for line in lines[:at]]
        for name, corrupt in {**TRAINED, **HELD_OUT}.items():
            step = corrupt(rng, Place(scene, question, prefix), lines[at].step)
            if step is None:
                continue
            label = label_step(scene, question, prefix, write(step, question, rng))
            assert label.readable
            if name == "true_conclusion":  # after true steps the scene licenses what they license
                assert step == lines[at].step
                continue
            assert step != lines[at].step
            if name not in ("attribute", "repeat", "stranger", "other_shape", "premature"):
                assert not label.true_of_scene
            sound = label.true_of_scene and label.follows and label.relevant
            # Another attribute of an object may be one that the question needs as well.
            assert not sound or name == "attribute"


@few
@given(worlds(), st.text("abc", max_size=4))
def test_the_probe_is_right_or_not_sound(
    world: tuple[random.Random, Scene, SceneQuestion], name: str
) -> None:
    _, scene, question = world
    items = probe_items("toy", name, scene, question)
    assert items == probe_items("toy", name, scene, question)
    assert sum(item.kind == RIGHT for item in items) == 2
    assert len(items) <= 5
    for item in items:
        assert item.sound == (item.kind == RIGHT)
        assert item.held_out == (item.kind in HELD_OUT)
        assert item.kind in {RIGHT, *TRAINED, *HELD_OUT}
        label = label_step(scene, question, item.prefix, item.text)
        assert (label.true_of_scene, label.follows) == (item.true_of_scene, item.follows)
        for at, text in enumerate(item.prefix):
            before = label_step(scene, question, item.prefix[:at], text)
            assert before.true_of_scene and before.follows
        right = next(other for other in items if other.depth == item.depth and other.kind == RIGHT)
        assert item is right or read(item.text) != read(right.text)
