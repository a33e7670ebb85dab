"""Training of the tiny models: it learns, it resumes, and its forward pass is the model's own."""

from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from tokenizers import Tokenizer  # noqa: E402

from verdict_assets.scenes.language import Fact, read  # noqa: E402
from verdict_assets.scenes.questions import make_question  # noqa: E402
from verdict_assets.scenes.train.batches import IGNORE, grounded, joint_lesson, judging_lesson  # noqa: E402
from verdict_assets.scenes.train.loop import Trainer, value_tokens  # noqa: E402
from verdict_assets.scenes.train.model import GRID, hidden_states, patches, see  # noqa: E402
from verdict_assets.scenes.train.recipe import Phase, Recipe, load_recipe  # noqa: E402
from verdict_assets.scenes.train.run import corpus, export  # noqa: E402
from verdict_assets.scenes.train.samples import facts_sample  # noqa: E402
from verdict_assets.scenes.train.tokenizer import train_tokenizer  # noqa: E402
from verdict_assets.scenes.world import NAMES, QUARTERS, SHAPES, generator  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer(corpus())


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    full = load_recipe(ROOT / "experiments" / "scenes-base.yaml")
    steps = {"copy": 4, "vision": 4, "ground": 4, "joint": 20, "judging": 4}
    short = {name: Phase(count, 4, 1e-3) for name, count in steps.items()}
    return replace(full, width=64, layers=3, vision_width=64, vision_layers=1, phases=short)


def test_twenty_steps_lower_the_loss(recipe: Recipe, tokenizer: Tokenizer) -> None:
    trainer = Trainer(recipe, tokenizer, None)
    trainer.phase = "joint"
    losses = [report["loss"] for report in trainer.run(report_every=5) if trainer.phase == "joint"]
    assert losses[-1] < 0.9 * losses[0]


def test_a_killed_run_goes_on_to_the_same_weights(
    recipe: Recipe, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    short = replace(recipe, phases={**recipe.phases, "joint": Phase(2, 4, 1e-3)})
    whole = Trainer(short, tokenizer, None)
    list(whole.run())
    state = tmp_path / "state.pt"
    first = Trainer(short, tokenizer, state)
    for report in first.run(report_every=2):
        if first.phase == "ground" and report["step"] == 2:
            first.save()
            break
    second = Trainer(short, tokenizer, state)
    assert (second.phase, second.step) == ("ground", 2)
    list(second.run())
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, second.model.state_dict()[name]), name


def test_packed_rows_see_what_the_model_itself_would_see(recipe: Recipe, tokenizer: Tokenizer) -> None:
    model = Trainer(recipe, tokenizer, None).model.eval()
    lesson = joint_lesson(tokenizer, 1, 0, 4)
    assert lesson.judging is not None
    rows = lesson.judging.rows
    with torch.no_grad():
        final, _ = hidden_states(model, rows, see(model, lesson.scenes))
        for row in range(4):
            for block in (1, 8):
                mine = rows.block[row] == block
                attach = int(rows.attach[row][mine][0])
                ids = torch.cat([rows.ids[row, :attach], rows.ids[row][mine]])[None]
                own = model(
                    input_ids=ids,
                    pixel_values=torch.from_numpy(patches(lesson.scenes[row])),
                    image_grid_thw=torch.tensor([[1, GRID, GRID]]),
                    mm_token_type_ids=(ids == model.config.image_token_id).long(),
                ).logits[0, attach:]
                assert torch.allclose(model.lm_head(final[row][mine]), own, atol=1e-4)


def test_words_are_grounded_in_their_own_picture(tokenizer: Tokenizer) -> None:
    lesson = joint_lesson(tokenizer, 1, 0, 4)
    for rows in (lesson.traces.rows, lesson.judging.rows if lesson.judging else lesson.traces.rows):
        things, counts = grounded(tokenizer, lesson.scenes, rows)
        for r in range(rows.ids.shape[0]):
            scene = lesson.scenes[int(rows.scene[r])]
            for at in range(rows.ids.shape[1]):
                word = tokenizer.decode([int(rows.ids[r, at])]).strip()
                here, there = [IGNORE] * 3, [IGNORE] * 3
                if thing := scene.named(word):
                    here = [thing.column, thing.row, thing.depth]
                elif word in NAMES:
                    here = [0, 0, 0]
                elif word in QUARTERS:
                    there = [scene.count(shape, word) for shape in SHAPES]
                assert things[r, at].tolist() == here
                assert counts[r, at].tolist() == there


def test_grades_lie_on_the_steps_they_are_for(tokenizer: Tokenizer) -> None:
    batch = judging_lesson(tokenizer, 1, 0, 2).judging
    assert batch is not None
    graded = batch.within[..., 0] != IGNORE
    assert bool((batch.rows.block[graded] > 0).all())
    values = graded & value_tokens(tokenizer)[batch.rows.ids]
    for r in range(batch.rows.ids.shape[0]):
        for block in range(1, 9):
            mine = (batch.rows.block[r] == block).nonzero().flatten().tolist()
            step = [at for at in mine if bool(graded[r, at])]
            after = step[-1] + 1
            assert step == list(range(mine[0], after)), "a candidate opens its block"
            assert batch.within[r, step].unique(dim=0).tolist() == [batch.ends[r, after].tolist()]
            shown = tokenizer.decode(batch.rows.ids[r, step].tolist())
            assert read(shown.splitlines()[-1]) is not None, "after the prompt's own words"
            assert bool(values[r, step].any()), "every judged step says a value, a letter or a direction"


def test_only_true_values_are_learnt_from_facts() -> None:
    rng = generator("test")
    scene, question = make_question(rng, "distance", "train", 0)
    sample = facts_sample(rng, scene, question)
    for line in "".join(piece.text for piece in sample.lines).splitlines():
        fact = read(line)
        assert isinstance(fact, Fact)
        if fact.shape:
            assert fact.value == scene.count(fact.shape, fact.subject)
        else:
            assert fact.value == getattr(scene.named(fact.subject), fact.attribute)
    learnt = [piece.text for piece in sample.lines if piece.learnt]
    assert len(learnt) == len(scene.things) + len(QUARTERS)
    assert all(text.strip().isdigit() for text in learnt)


def test_training_pixels_are_the_image_processors(
    recipe: Recipe, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    from transformers import AutoImageProcessor

    from verdict_assets.scenes.world import draw

    export(Trainer(recipe, tokenizer, None), tokenizer, tmp_path)
    processor = AutoImageProcessor.from_pretrained(tmp_path)
    scene = joint_lesson(tokenizer, 1, 0, 1).scenes[0]
    given = processor(images=[draw(scene)], return_tensors="pt")
    assert given["image_grid_thw"].tolist() == [[1, GRID, GRID]]
    assert torch.allclose(given["pixel_values"], torch.from_numpy(patches(scene)), atol=1e-5)


def test_words_numbers_and_scores_are_one_token(tokenizer: Tokenizer) -> None:
    for word in ("0.0", "0.7", "1.0", " red", " column", "\n", " 3", " ."):
        assert len(tokenizer.encode(word, add_special_tokens=False).ids) == 1, word


def test_any_text_comes_back_exactly(tokenizer: Tokenizer) -> None:
    for text in ("the red circle is at column 2 .\n", "a strange Wort: ünïcode\t0.85 ", "\n\n  x"):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert tokenizer.decode(ids, skip_special_tokens=False) == text
