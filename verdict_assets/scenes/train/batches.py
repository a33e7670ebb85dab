"""Batches: samples as token ids, a pure function of phase and step number.

Belongs here: the mixture of tasks in each phase, encoding and padding. What a sample says is in ``samples``.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from verdict_assets.scenes.questions import SceneQuestion, make_question
from verdict_assets.scenes.train import tokenizer as tok
from verdict_assets.scenes.train.model import IMAGE_TOKENS, Rows
from verdict_assets.scenes.train.samples import (
    ALL_KINDS,
    Grades,
    Sample,
    base_sample,
    facts_sample,
    judge_sample,
)
from verdict_assets.scenes.world import CELL, COLOURS, NAMES, QUARTERS, SHAPES, Scene, generator, make_scene

CANDIDATES = 8
"""Candidates that share one judge's row."""
_NOISE = (0.1, 0.5)
"""Share of planted errors in a trace: conclusions must be drawn from what is stated, not from the picture."""
IGNORE = -100
_BYTES = 256
_COPY_LENGTH = 48
_COPY_PERIODS = (12, 24)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one shape, and the visual and logical grade classes (0-10) of the steps in them.

    ``ends`` [rows, length, 2] holds -100 where no graded step ends, ``within`` where none is.
    """

    rows: Rows
    ends: Tensor
    within: Tensor


@dataclass(frozen=True, slots=True)
class Lesson:
    """One optimiser step of text: lines to write and, in the joint phase, steps to judge."""

    scenes: list[Scene]
    traces: Batch
    judging: Batch | None


def scene_targets(scenes: Sequence[Scene]) -> Tensor:
    """What each visual token must tell: [scenes, IMAGE_TOKENS, 5], 0 for no object centred in its cell."""
    targets = torch.zeros(len(scenes), IMAGE_TOKENS, 5, dtype=torch.long)
    colours, side = list(COLOURS), int(IMAGE_TOKENS**0.5)
    for i, scene in enumerate(scenes):
        for thing in scene.things:
            cell = thing.y // CELL * side + thing.x // CELL
            values = [1 + colours.index(thing.colour), 1 + SHAPES.index(thing.shape)]
            targets[i, cell] = torch.tensor([*values, thing.column, thing.row, thing.depth])
    return targets


def copy_rows(tokenizer: Tokenizer, seed: int, step: int, size: int) -> Rows:
    """Random words, said again and again: what repeats is learnt, so the model learns to look back.

    Looking a word up and reading on from there is what all tasks of the world are made of, and it is learnt
    much faster alone.
    """
    rng = generator("copy", seed, step)
    first = len(tok.SPECIAL) + _BYTES
    lines, learnt = [], []
    for _ in range(size):
        period = rng.randint(*_COPY_PERIODS)
        line = [rng.randrange(first, tokenizer.get_vocab_size()) for _ in range(period)]
        lines.append((line * (_COPY_LENGTH // period + 1))[:_COPY_LENGTH])
        learnt.append([IGNORE] * (period + 1) + lines[-1][period + 1 :])
    ids = torch.tensor(lines)
    order = torch.arange(_COPY_LENGTH).expand_as(ids)
    flat = torch.zeros_like(ids)
    return Rows(ids, torch.tensor(learnt), order, flat, flat + _COPY_LENGTH, torch.full((size,), -1))


def vision_batch(seed: int, step: int, size: int) -> list[Scene]:
    """Scenes of one step of the vision phase."""
    rng = generator("vision", seed, step)
    return [make_scene(rng, "train", least=5, most=7) for _ in range(size)]


def ground_lesson(tokenizer: Tokenizer, seed: int, step: int, size: int) -> Lesson:
    """True facts about every object and quarter of a scene, of which only the values are learnt."""
    rng = generator("ground", seed, step)
    drawn = [_draw(rng) for _ in range(size)]
    samples = [facts_sample(rng, *pair) for pair in drawn]
    return Lesson([scene for scene, _ in drawn], encode(tokenizer, samples, range(size)), None)


def joint_lesson(tokenizer: Tokenizer, seed: int, step: int, size: int) -> Lesson:
    """The whole task: two traces and one judge's row for each of ``size`` scenes."""
    return _lesson(tokenizer, generator("joint", seed, step), size, traces=2, judged=1)


def judging_lesson(tokenizer: Tokenizer, seed: int, step: int, size: int) -> Lesson:
    """The whole task with more to judge: one trace and two judges' rows for each of ``size`` scenes."""
    return _lesson(tokenizer, generator("judging", seed, step), size, traces=1, judged=2)


def _lesson(tokenizer: Tokenizer, rng: random.Random, size: int, traces: int, judged: int) -> Lesson:
    drawn = [_draw(rng) for _ in range(size)]
    written = [base_sample(rng, *pair, rng.choice(_NOISE)) for pair in drawn for _ in range(traces)]
    scored = [
        judge_sample(rng, *pair, rng.choice(_NOISE), CANDIDATES) for pair in drawn for _ in range(judged)
    ]
    return Lesson(
        [scene for scene, _ in drawn],
        encode(tokenizer, written, [i for i in range(size) for _ in range(traces)]),
        encode(tokenizer, scored, [i for i in range(size) for _ in range(judged)]),
    )


def grounded(tokenizer: Tokenizer, scenes: Sequence[Scene], rows: Rows) -> tuple[Tensor, Tensor]:
    """What the picture shows of every word that names something in it: two tensors [rows, length, 3].

    The first holds column, row and depth at names of objects (0 for objects that are not there), the second
    the number of each shape at names of quarters; both hold -100 everywhere else.
    """
    size = (len(scenes), tokenizer.get_vocab_size(), 3)
    things, counts = torch.full(size, IGNORE), torch.full(size, IGNORE)
    for i, scene in enumerate(scenes):
        for name in NAMES:
            thing = scene.named(name)
            value = (0, 0, 0) if thing is None else (thing.column, thing.row, thing.depth)
            things[i, word_ids(tokenizer, name)] = torch.tensor(value)
        for quarter in QUARTERS:
            counts[i, word_ids(tokenizer, quarter)] = torch.tensor([scene.count(s, quarter) for s in SHAPES])
    owners = rows.scene[:, None]
    return things[owners, rows.ids], counts[owners, rows.ids]


def word_ids(tokenizer: Tokenizer, word: str) -> list[int]:
    """The tokens of a word at the start of a line and inside it."""
    return [tokenizer.encode(before + word, add_special_tokens=False).ids[0] for before in ("", " ")]


def picture_head() -> str:
    """What stands before a prompt that shows a picture."""
    return f"{tok.START}user\n{tok.VISION_START}{tok.IMAGE * IMAGE_TOKENS}{tok.VISION_END}"


def _draw(rng: random.Random) -> tuple[Scene, SceneQuestion]:
    return make_question(rng, rng.choice(ALL_KINDS), "train", rng.randrange(4))


class _Row:
    """Token lists of one row while it is being put together."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.targets: list[int] = []
        self.order: list[int] = []
        self.block: list[int] = []
        self.attach: list[int] = []
        self.grades: list[tuple[int, int, Grades]] = []

    def add(self, ids: Sequence[int], learnt: bool, start: int, block: int, attach: int) -> None:
        self.ids += ids
        self.targets += ids if learnt else [IGNORE] * len(ids)
        self.order += range(start, start + len(ids))
        self.block += [block] * len(ids)
        self.attach += [attach] * len(ids)


def encode(tokenizer: Tokenizer, samples: Sequence[Sample], owners: Sequence[int]) -> Batch:
    """Token rows of ``samples``; ``owners`` are the indices of their scenes."""
    built = [_row(tokenizer, sample) for sample in samples]
    length = max(len(row.ids) for row in built)
    pad = tokenizer.token_to_id(tok.PAD)

    def padded(name: str, fill: int) -> Tensor:
        rows = [getattr(row, name) for row in built]
        return torch.tensor([[*row, *[fill] * (length - len(row))] for row in rows])

    ends, within = (torch.full((len(built), length, 2), IGNORE) for _ in range(2))
    for r, row in enumerate(built):
        for start, end, grades in row.grades:
            classes = torch.tensor([round(10 * value) for value in grades])
            ends[r, end], within[r, start:end] = classes, classes
    rows = Rows(
        padded("ids", pad),
        padded("targets", IGNORE),
        padded("order", 0),
        padded("block", 0),
        padded("attach", length),
        torch.tensor(owners),
    )
    return Batch(rows, ends, within)


def _row(tokenizer: Tokenizer, sample: Sample) -> _Row:
    join = f"{tok.END}\n{tok.START}assistant\n"
    opening = picture_head() + sample.prompt + ("" if sample.candidates else join)
    texts = [opening, *(line.text for line in sample.lines)]
    texts += [f"{sample.between}{c.text}" for c in sample.candidates] + [sample.cue + join]
    texts += [c.score for c in sample.candidates]
    ids = [part.ids for part in tokenizer.encode_batch(texts, add_special_tokens=False)]
    end = [tokenizer.token_to_id(tok.END)]
    row = _Row()
    whole = 1 << 30
    row.add(ids[0], False, 0, 0, whole)
    ends = [len(row.ids)]
    count = len(sample.lines)
    for i, line in enumerate(sample.lines):
        last = i == count - 1 and not sample.candidates
        start = len(row.ids)
        row.add(ids[1 + i], line.learnt, start, 0, whole)
        if line.grades is not None:
            row.grades.append((start, len(row.ids) - (0 if last else 1), line.grades))
        ends.append(len(row.ids))
    if not sample.candidates:
        row.add(end, True, len(row.ids), 0, whole)
    texts_at, cue = 1 + count, ids[1 + count + len(sample.candidates)]
    for k, candidate in enumerate(sample.candidates):
        attach = ends[candidate.after]
        start = len(row.ids)
        shown = ids[texts_at + k] + cue
        row.add(shown, False, attach, k + 1, attach)
        row.grades.append((start, start + len(ids[texts_at + k]), candidate.grades))
        score = ids[texts_at + len(sample.candidates) + 1 + k] + end
        row.add(score, True, attach + len(shown), k + 1, attach)
    return row
