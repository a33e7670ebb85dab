"""The in-process engine against `generate` of transformers, and against itself alone, batched and resumed."""

import hashlib
import io
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image
from transformers import AutoModelForImageTextToText, AutoTokenizer, Qwen2VLImageProcessor

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.transformers_engine import TransformersEngine
from verdict_assets.inference.images import VerifiedImages
from verdict_assets.inference.request import Finish, Group, Request, Response, Setup, State, seed, user_text


def answers(engine: TransformersEngine, requests: Sequence[Request]) -> list[Response]:
    found = dict(engine.run(requests))
    assert sorted(found) == list(range(len(requests)))
    return [found[index] for index in range(len(requests))]


@pytest.fixture(scope="module")
def alone(tiny: Path, source: VerifiedImages, requests: list[Request]) -> list[Response]:
    """Every request computed by itself."""
    return answers(TransformersEngine({"tiny": tiny}, source, batch_size=1), requests)


def close(left: Response, right: Response) -> bool:
    """Equal but for the order of sums."""
    same = left.same_answer(right) and left.output_tokens == right.output_tokens
    return same and (left.logprob is None or left.logprob == pytest.approx(right.logprob, abs=1e-3))


def test_greedy_texts_are_those_of_generate(
    tiny: Path, source: VerifiedImages, requests: list[Request], alone: list[Response]
) -> None:
    model = AutoModelForImageTextToText.from_pretrained(tiny, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    processor = Qwen2VLImageProcessor.from_pretrained(tiny)
    greedy = [i for i, r in enumerate(requests) if r.draw is None]
    assert len(greedy) > 30
    for index in greedy:
        request = requests[index]
        inputs = reference_inputs(request, tokenizer, processor, source)
        length = inputs["input_ids"].shape[1]
        assert alone[index].prompt_tokens == length
        output = model.generate(**inputs, do_sample=False, max_new_tokens=request.group.setup.max_tokens)
        text = tokenizer.decode(output[0, length:], skip_special_tokens=True)
        expected = text.partition("\n")[0] if request.group.setup.stop else text
        assert alone[index].text == expected


def reference_inputs(
    request: Request, tokenizer: AutoTokenizer, processor: Qwen2VLImageProcessor, source: VerifiedImages
) -> dict[str, torch.Tensor]:
    """What the processor of transformers would make: placeholders expanded in the text, a type per token."""
    group = request.group
    system = f"<|im_start|>system\n{group.system}<|im_end|>\n" if group.system else ""
    images = [Image.open(_file(source, sha256)).convert("RGB") for sha256 in group.images]
    prepared = processor(images=images, return_tensors="pt")
    visual = "".join(
        "<|vision_start|>" + "<|image_pad|>" * (grid.prod().item() // 4) + "<|vision_end|>"
        for grid in prepared["image_grid_thw"]
    )
    text = (
        f"{system}<|im_start|>user\n{visual}{user_text(request)}<|im_end|>\n"
        f"<|im_start|>assistant\n{group.assistant or ''}"
    )
    ids = tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
    kinds = (ids == tokenizer.convert_tokens_to_ids("<|image_pad|>")).int()
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "mm_token_type_ids": kinds, **prepared}


def _file(source: VerifiedImages, sha256: str) -> io.BytesIO:
    return io.BytesIO(source.bytes(sha256))


@pytest.mark.parametrize("pool_bytes", [0, 40_000, 2**24])
@pytest.mark.parametrize("batch_size", [5, 64])
def test_a_batch_answers_as_its_requests_alone(
    tiny: Path,
    source: VerifiedImages,
    requests: list[Request],
    alone: list[Response],
    batch_size: int,
    pool_bytes: int,
) -> None:
    """Also with a pool of so few blocks that it is always full, and when everything is asked again."""
    engine = TransformersEngine({"tiny": tiny}, source, batch_size=batch_size, pool_bytes=pool_bytes)
    for _ in range(2):
        found = answers(engine, requests)
        assert [i for i, (a, b) in enumerate(zip(found, alone, strict=True)) if not close(a, b)] == []


def test_alone_means_the_same_bits_whatever_was_asked_before(
    tiny: Path, source: VerifiedImages, requests: list[Request], alone: list[Response]
) -> None:
    """As after a kill: another process, another order, half of the questions."""
    half = list(reversed(range(0, len(requests), 2)))
    found = answers(TransformersEngine({"tiny": tiny}, source, batch_size=1), [requests[i] for i in half])
    assert found == [alone[i] for i in half]


def test_prompts_are_computed_once(tiny: Path, source: VerifiedImages, requests: list[Request]) -> None:
    engine = TransformersEngine({"tiny": tiny}, source)
    first, second = answers(engine, requests), answers(engine, requests)
    cached = [sum(r.cached_tokens or 0 for r in found) for found in (first, second)]
    total = sum(r.prompt_tokens for r in first)
    assert 0.4 * total < cached[0] < cached[1]
    assert cached[1] > 0.75 * total
    siblings = [r for r, q in zip(first, requests, strict=True) if q.draw in (0, 1, 2) and q.tail is None]
    whole = [r for r in siblings if r.cached_tokens == r.prompt_tokens]
    assert len(whole) >= len(siblings) * 2 // 3


def test_draws_differ_and_repeat(alone: list[Response], requests: list[Request]) -> None:
    drawn = [r.text for r, q in zip(alone, requests, strict=True) if q.tail is None and q.draw is not None]
    assert len(set(drawn)) > len(drawn) // 2
    assert len({seed(q) for q in requests if q.draw is not None}) == len(
        [q for q in requests if q.draw is not None]
    )


def test_endings(tiny: Path, source: VerifiedImages, steps: Setup, pictures: dict[str, bytes]) -> None:
    """Over many draws every ending occurs, and each obeys its rule."""
    hot = replace(steps, temperature=1.5, top_p=1.0, max_tokens=60)
    place = Group(hot, (next(iter(pictures)),), "how many ?")
    found = answers(TransformersEngine({"tiny": tiny}, source), [Request(place, None, d) for d in range(300)])
    endings = {finish: [r for r in found if r.finish is finish] for finish in Finish}
    assert endings[Finish.NEWLINE]
    assert endings[Finish.EOS]
    assert endings[Finish.LENGTH]
    assert not endings[Finish.ERROR]
    assert all("\n" not in r.text and "<|" not in r.text for r in found)
    assert all(r.output_tokens == 60 and r.state is State.TRUNCATED for r in endings[Finish.LENGTH])
    assert all(r.state is (State.OK if r.text.strip() else State.EMPTY) for r in endings[Finish.EOS])


def test_a_stop_string_of_several_tokens(tiny: Path, source: VerifiedImages, steps: Setup) -> None:
    free = replace(steps, stop=(), max_tokens=40)
    engine = TransformersEngine({"tiny": tiny}, source)
    (whole,) = answers(engine, [Request(Group(free, (), "how many ?"))])
    stop = whole.text[7:12]
    assert len(stop) == 5
    for stops in ((stop,), ("never there \u00e9", stop)):
        (cut,) = answers(engine, [Request(Group(replace(free, stop=stops), (), "how many ?"))])
        assert cut.text == whole.text.partition(stop)[0]
        assert cut.finish is Finish.NEWLINE
        assert cut.output_tokens < whole.output_tokens


def test_a_prompt_without_room_is_refused(tiny: Path, source: VerifiedImages, steps: Setup) -> None:
    long = Request(Group(steps, (), "red " * 1100), None, 0)
    short = Request(Group(steps, (), "red"), None, 0)
    refused, fine = answers(TransformersEngine({"tiny": tiny}, source), [long, short])
    assert (refused.state, refused.finish, refused.text) == (State.REFUSED, Finish.ERROR, "")
    assert "1024" in (refused.error or "")
    assert fine.state is not State.REFUSED


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"revision": "0" * 64}, "revision"),
        ({"model": "other"}, "no folder"),
        ({"dtype": "bfloat16"}, "float32"),
        ({"presence_penalty": 0.5}, "presence_penalty"),
        ({"constraint": "[0-9]"}, "constraint"),
    ],
)
def test_what_it_cannot_answer_exactly_it_does_not_answer(
    tiny: Path, source: VerifiedImages, steps: Setup, change: dict[str, object], words: str
) -> None:
    request = Request(Group(replace(steps, **change), (), "red"), None, 0)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=words):
        list(TransformersEngine({"tiny": tiny}, source).run([request]))


def test_a_placeholder_in_the_text_is_an_error(tiny: Path, source: VerifiedImages, steps: Setup) -> None:
    with pytest.raises(UserError, match="placeholder"):
        list(
            TransformersEngine({"tiny": tiny}, source).run(
                [Request(Group(steps, (), "a <|image_pad|> b"), None, 0)]
            )
        )


def test_a_picture_that_would_be_resized_is_an_error(tiny: Path, steps: Setup) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (100, 60)).save(buffer, "PNG")
    name = hashlib.sha256(buffer.getvalue()).hexdigest()
    engine = TransformersEngine({"tiny": tiny}, VerifiedImages.of({name: buffer.getvalue()}))
    with pytest.raises(UserError, match="100 x 60"):
        list(engine.run([Request(Group(steps, (name,), "red"), None, 0)]))


def test_a_template_that_trims_prefixes_is_refused(
    tiny: Path, source: VerifiedImages, steps: Setup, tmp_path: Path
) -> None:
    folder = shutil.copytree(tiny, tmp_path / "tiny")
    template = folder / "chat_template.jinja"
    template.write_text(template.read_text().replace("{{ c.text }}", "{{ c.text | trim }}"))
    with pytest.raises(UserError, match="continue an assistant message"):
        list(TransformersEngine({"tiny": folder}, source).run([Request(Group(steps, (), "red"), None, 0)]))
