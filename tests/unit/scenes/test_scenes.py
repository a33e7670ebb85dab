"""Fixed facts of the scenes world: one hand-made scene, disjoint splits, balanced answers, equal bytes."""

from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from verdict_assets.scenes.build import benchmark_rows, write_benchmark
from verdict_assets.scenes.corruptions import HELD_OUT, TRAINED, Place, shift
from verdict_assets.scenes.language import Answer, Fact, read
from verdict_assets.scenes.oracle import label_step, needed_facts, stated
from verdict_assets.scenes.probe import probe_items
from verdict_assets.scenes.questions import KINDS, SceneQuestion, direction
from verdict_assets.scenes.rubrics import grade
from verdict_assets.scenes.world import COLOURS, GROUND, SIDE, Scene, Thing, generator, make_scene, png

SCENE = Scene(
    (
        Thing("red", "circle", 20, 20, 15),
        Thing("blue", "square", 90, 90, 6),
        Thing("green", "triangle", 90, 20, 10),
        Thing("pink", "circle", 20, 90, 8),
        Thing("cyan", "square", 55, 55, 12),
    )
)
RELATION = SceneQuestion(
    "relation",
    "where is the red circle seen from the blue square ?",
    ("below and left", "above and left", "above and right", "below and right"),
    "B",
    ("red circle", "blue square"),
    "place",
)
TRUE = (
    "first , find column and row of both objects .",
    "the red circle is at column 2 .",
    "red circle : row 2 .",
    "blue square : column 5 .",
    "blue square : row 5 .",
    "so the red circle is above and left of the blue square .",
    "answer : (B)",
)
DISTANCE = SceneQuestion(
    "distance",
    "which object is nearest in depth to the cyan square ?",
    ("red circle", "blue square", "green triangle", "pink circle"),
    "A",
    ("red circle", "blue square", "green triangle", "pink circle"),
    "gap",
    anchor="cyan square",
)


def labels(question: SceneQuestion, prefix: tuple[str, ...], text: str) -> tuple[bool | None, ...]:
    label = label_step(SCENE, question, prefix, text)
    return label.true_of_scene, label.follows, label.relevant


def test_attributes_by_hand() -> None:
    assert [thing.column for thing in SCENE.things] == [2, 5, 5, 2, 3]
    assert [thing.row for thing in SCENE.things] == [2, 5, 2, 5, 3]
    assert [thing.depth for thing in SCENE.things] == [1, 5, 3, 4, 2]
    assert [thing.quarter for thing in SCENE.things] == [
        "top left", "bottom right", "top right", "bottom left", "top left",
    ]  # fmt: skip
    assert (SCENE.count("circle"), SCENE.count("circle", "top left"), SCENE.count("square", "top right")) == (
        2,
        1,
        0,
    )


def test_the_oracle_by_hand() -> None:
    for at, text in enumerate(TRUE):
        assert labels(RELATION, TRUE[:at], text) == (True, True, True), text
    assert labels(RELATION, TRUE[:1], "red circle : column 3 .") == (False, True, True)
    assert labels(RELATION, TRUE[:2], "red circle : column 2 .") == (True, False, True)  # stated before
    assert labels(RELATION, TRUE[:1], "red circle : depth 1 .") == (True, False, False)
    assert labels(RELATION, TRUE[:1], "red square : column 2 .") == (False, False, False)  # no such object
    assert labels(RELATION, TRUE[:4], TRUE[5]) == (True, False, True)  # a fact is missing
    assert labels(RELATION, TRUE[:5], "answer : (B)") == (True, False, True)  # nothing was concluded
    assert labels(RELATION, TRUE[:6], "answer : (C)") == (False, False, True)
    assert labels(RELATION, TRUE[:3], "it is obvious .") == (None, None, None)


def test_a_conclusion_follows_from_what_was_said_even_if_that_was_wrong() -> None:
    said = (*TRUE[:4], "blue square : row 1 .")
    assert labels(RELATION, said, "so the red circle is below and left of the blue square .") == (
        False,
        True,
        True,
    )
    assert labels(RELATION, said, TRUE[5]) == (True, False, True)
    assert stated(said)[0]["row", "blue square"].value == 1


def test_a_gap_must_agree_with_the_stated_anchor() -> None:
    said = ("plan : compare each depth with the cyan square .", "cyan square : depth 3 .")
    assert labels(DISTANCE, said, "red circle : depth 1 , gap 1 .") == (True, False, True)
    assert labels(DISTANCE, said, "red circle : depth 1 , gap 2 .") == (False, True, True)
    assert labels(DISTANCE, said, "red circle : depth 1 .")[1] is False  # the gap is asked for
    assert labels(DISTANCE, said[:1], "(A) red circle : depth 1 , gap 1 .") == (True, True, True)
    assert labels(DISTANCE, said[:1], "(B) red circle : depth 1 , gap 1 .") == (
        True,
        False,
        True,
    )  # not its letter
    assert needed_facts(DISTANCE)[0] == ("depth", "cyan square")


def test_grades_by_hand() -> None:
    def graded(rubric: str, text: str) -> float:
        return grade(rubric, SCENE, RELATION, TRUE[:1], text)

    columns = [graded("visual", f"red circle : column {value} .") for value in range(2, 7)]
    assert columns == [1.0, 0.7, 0.4, 0.2, 0.1]
    assert graded("visual", "red square : column 2 .") == 0.3
    assert graded("visual", "purple square : column 2 .") == 0.0
    assert graded("contextual", "pink circle : depth 4 .") == 0.1
    called = [grade("logical", SCENE, DISTANCE, (), f"({x}) red circle : depth 1 , gap 1 .") for x in "AB"]
    assert called == [1.0, 0.6]  # the second is called by the letter of another option
    with pytest.raises(ValueError, match="unknown rubric"):
        graded("musical", "answer : (A)")
    with pytest.raises(ValueError, match="not a sentence"):
        graded("visual", "hm")


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [((1, 1), (2, 2), "above and left"), ((3, 4), (2, 1), "below and right"), ((1, 1), (1, 5), None)],
)
def test_directions(first: tuple[int, int], second: tuple[int, int], where: str | None) -> None:
    assert direction(first, second) == where


@pytest.mark.parametrize(
    "text", ["", "answer : (E)", "answer : B", "the red circle is at height 3 .", "red circle : row .", "1"]
)
def test_other_sentences_are_not_read(text: str) -> None:
    assert read(text) is None


def test_wordings_are_told_apart() -> None:
    assert read("top left quarter : 2 circles .") == Fact("number", "top left", 2, shape="circle")
    assert read("pink circle : depth 4 , gap 2 .") == Fact("depth", "pink circle", 4, gap=2)
    assert read("so the answer is (C) .") == Answer("C")


def test_names_seed_the_generator() -> None:
    assert generator("a", 1).random() == generator("a", 1).random() != generator("a", 2).random()
    # Pinned: another value here would move every benchmark, probe and training set.
    assert generator("probe", "scenes_2d", "scenes_2d-0000").getrandbits(32) == PINNED


PINNED = 1182448260


def test_training_and_test_scenes_are_apart() -> None:
    made = {
        split: {make_scene(generator("split", split, at), split).to_json() for at in range(40)}
        for split in ("train", "test")
    }
    assert not made["train"] & made["test"]
    assert {Scene.from_json(text).split for text in made["test"]} == {"test"}


def test_the_picture_shows_the_objects() -> None:
    data = png(SCENE)
    assert data == png(SCENE)
    image = Image.open(BytesIO(data)).convert("RGB")
    assert image.size == (SIDE, SIDE)
    assert image.getpixel((0, 0)) == GROUND
    for thing in SCENE.things:
        assert image.getpixel((thing.x, thing.y)) == COLOURS[thing.colour]


@pytest.mark.parametrize("benchmark", KINDS)
def test_answers_are_balanced_and_scenes_are_test_scenes(benchmark: str) -> None:
    rows = benchmark_rows(benchmark, 40)
    for _, of_kind in rows.groupby("type"):
        assert set(Counter(of_kind["gold"]).values()) == {5}
    assert set(rows["type"]) == set(KINDS[benchmark])
    assert {Scene.from_json(text).split for text in rows["scene"]} == {"test"}
    assert rows["question_id"].is_unique
    assert (rows["options"].map(len) == 4).all()


def test_the_file_of_a_benchmark_is_the_same_on_every_run(tmp_path: Path) -> None:
    files = [write_benchmark("scenes_2d", 8, tmp_path / name) for name in ("one", "two")]
    assert files[0].read_bytes() == files[1].read_bytes()
    longer = benchmark_rows("scenes_2d", 12)
    assert longer["scene"].tolist()[:8] == benchmark_rows("scenes_2d", 8)["scene"].tolist()


def test_an_unknown_benchmark_is_refused() -> None:
    with pytest.raises(ValueError, match="scenes_2d, scenes_3d"):
        benchmark_rows("scenes_4d", 1)


def test_held_out_kinds_are_not_trained() -> None:
    assert not set(HELD_OUT) & set(TRAINED)
    assert not set(HELD_OUT.values()) & set(TRAINED.values())


def test_a_kind_that_does_not_apply_gives_nothing() -> None:
    place = Place(SCENE, RELATION, TRUE[:6])
    assert shift(generator("x"), place, Answer("B")) is None


def test_probes_stay_few_and_hold_every_kind() -> None:
    items = [
        item
        for benchmark in KINDS
        for row in benchmark_rows(benchmark, 60).itertuples()
        for item in probe_items(
            benchmark,
            str(row.question_id),
            Scene.from_json(str(row.scene)),
            SceneQuestion.from_json(str(row.asked)),
        )
    ]
    assert len(items) <= 5 * 120
    # After true steps the true conclusion is the right step itself.
    assert {item.kind for item in items} == {"right", *TRAINED, *HELD_OUT} - {"true_conclusion"}
