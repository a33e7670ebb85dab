"""The training run: its phases in order, resumable, with rate and time left on screen.

Belongs here: optimisation and checkpoints. Step s of a phase sees data that depend on seed, phase and s
alone, so a run that was killed and went on has learnt from the same batches as one that was not.
"""

import math
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import Qwen2_5_VLForConditionalGeneration

from verdict_assets.scenes.questions import DIRECTIONS
from verdict_assets.scenes.train.batches import (
    IGNORE,
    Batch,
    Lesson,
    copy_rows,
    ground_lesson,
    grounded,
    joint_lesson,
    judging_lesson,
    scene_targets,
    vision_batch,
    word_ids,
)
from verdict_assets.scenes.train.model import Rows, build_model, hidden_states, see
from verdict_assets.scenes.train.recipe import PHASES, Phase, Recipe
from verdict_assets.scenes.world import COLOURS, COLUMNS, DEPTHS, NAMES, ROWS, SHAPES, Scene

VISION_CLASSES = (len(COLOURS) + 1, len(SHAPES) + 1, COLUMNS + 1, ROWS + 1, DEPTHS + 1)
NAMED_CLASSES = VISION_CLASSES[2:]
COUNTED_CLASSES = (5,) * len(SHAPES)
WORD_SCALE = 4.0
"""Sharpness of the match between a normalised visual token and the embedding of a word."""
GRADES = 11
CONTENT_WEIGHT = 3.0
"""How much more a value, a letter, a name, a direction or a score counts than the words around it."""
TRUTH_WEIGHT = 0.3
"""How much the auxiliary question counts that asks, where a step ends, how true it is."""
GROUND_WEIGHT = 0.3
GROUND_LAYER = 2
"""Weight and layer of the question that asks, at every name, what the picture shows of it.

Finding what a word stands for is what all tasks here rest on; asked directly, it is learnt in minutes.
"""
COMPARED_LAYER = 3
"""Layer of the question that asks, at every value, how good its step is: judges compare, then score."""
COPY_ROWS, COPY_WEIGHT = 4, 0.3
"""Rows of plain repetition that go along with the task, since looking back is soon unlearnt without them."""
WORD_WEIGHT = 0.5
SIGHT_WEIGHT = 0.2
"""How much the plain reading of visual tokens still counts once they serve the whole task."""
SAVE_EVERY = 100


class Heads(nn.Module):
    """Training-only read-outs; they are not part of the saved model."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.vision = nn.Linear(width, sum(VISION_CLASSES))
        self.visual = nn.Linear(width, GRADES)
        self.logical = nn.Linear(width, GRADES)
        self.named = nn.Linear(width, sum(NAMED_CLASSES))
        self.counted = nn.Linear(width, sum(COUNTED_CLASSES))
        self.compared = nn.Linear(width, 2 * GRADES)


class Trainer:
    """Model, heads and the place in the run; ``run`` goes on from wherever the state file says."""

    def __init__(self, recipe: Recipe, tokenizer: Tokenizer, state: Path | None) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe, self.tokenizer, self.state_file = recipe, tokenizer, state
        self.model: Qwen2_5_VLForConditionalGeneration = build_model(recipe, tokenizer)
        self.weights = token_weights(tokenizer)
        self.values = value_tokens(tokenizer)
        torch.manual_seed(recipe.seed)
        self.heads = Heads(recipe.width)
        self.phase, self.step = PHASES[0], 0
        self.optimiser = self._new_optimiser()
        if state is not None and state.exists():
            saved = torch.load(state, weights_only=True)
            self.model.load_state_dict(saved["model"])
            self.heads.load_state_dict(saved["heads"])
            self.phase, self.step = saved["phase"], saved["step"]
            self.optimiser = self._new_optimiser()
            self.optimiser.load_state_dict(saved["optimiser"])

    def _new_optimiser(self) -> torch.optim.AdamW:
        parameters = [*self.model.parameters(), *self.heads.parameters()]
        return torch.optim.AdamW(parameters, betas=(0.9, 0.98), weight_decay=0.05)

    def run(self, report_every: int = 50) -> Iterator[dict[str, float]]:
        """Train to the end, yielding the mean losses of every ``report_every`` steps."""
        for phase in PHASES[PHASES.index(self.phase) :]:
            if phase != self.phase:
                self.phase, self.step, self.optimiser = phase, 0, self._new_optimiser()
            yield from self._run_phase(self.recipe.phases[phase], report_every)

    def _run_phase(self, plan: Phase, report_every: int) -> Iterator[dict[str, float]]:
        began, first = time.monotonic(), self.step
        sums: dict[str, float] = {}
        counted = 0
        while self.step < plan.steps:
            for group in self.optimiser.param_groups:
                group["lr"] = plan.rate * schedule(self.step, plan.steps)
            losses = self._losses(plan)
            total = losses["loss"]
            self.optimiser.zero_grad()
            total.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimiser.step()
            self.step += 1
            for name, value in losses.items():
                sums[name] = sums.get(name, 0.0) + value.item()
            counted += 1
            if self.step % report_every == 0 or self.step == plan.steps:
                spent = time.monotonic() - began
                left = spent / (self.step - first) * (plan.steps - self.step)
                means = {name: value / counted for name, value in sums.items()}
                self._say(plan, means, left)
                yield {"step": float(self.step), **means}
                sums, counted = {}, 0
            if self.step % SAVE_EVERY == 0 or self.step == plan.steps:
                self.save()

    def _say(self, plan: Phase, means: dict[str, float], left: float) -> None:
        shown = "  ".join(f"{name} {value:.3f}" for name, value in means.items())
        print(
            f"{self.phase} {self.step}/{plan.steps}  {shown}  {left / 60:.1f} min left",
            file=sys.stderr,
            flush=True,
        )

    def save(self) -> None:
        """Write the state so that a kill at any moment leaves the old or the new one."""
        if self.state_file is None:
            return
        self.state_file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.state_file.with_suffix(".part")
        content = {
            "model": self.model.state_dict(),
            "heads": self.heads.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "phase": self.phase,
            "step": self.step,
        }
        torch.save(content, draft)
        draft.replace(self.state_file)

    def _losses(self, plan: Phase) -> dict[str, Tensor]:
        if self.phase == "copy":
            return self._copy_losses(plan)
        if self.phase == "vision":
            return self._vision_losses(plan)
        make = {"ground": ground_lesson, "joint": joint_lesson, "judging": judging_lesson}[self.phase]
        return self._text_losses(make(self.tokenizer, self.recipe.seed, self.step, plan.batch))

    def _copy_losses(self, plan: Phase) -> dict[str, Tensor]:
        return self._copy(plan.batch)

    def _copy(self, size: int) -> dict[str, Tensor]:
        rows = copy_rows(self.tokenizer, self.recipe.seed, self.step, size)
        loss, hit = self._row_loss(rows, hidden_states(self.model, rows, None)[0])
        return {"loss": loss, "hit": hit}

    def _row_loss(self, rows: Rows, final: Tensor) -> tuple[Tensor, Tensor]:
        """Loss of the targets, and the share of those that say something which is predicted."""
        wanted = rows.targets[:, 1:]
        at = wanted != IGNORE
        logits, wanted = self.model.lm_head(final[:, :-1][at]), wanted[at]
        hits = (logits.argmax(-1) == wanted)[self.weights[wanted] > 1]
        return cross_entropy(logits, wanted, self.weights), hits.float().mean()

    def _vision_losses(self, plan: Phase) -> dict[str, Tensor]:
        """Read every visual token, also through the embeddings of the words for what it shows.

        The words tie the picture to the text: a head that finds a word by a word finds the object, too.
        """
        scenes = vision_batch(self.recipe.seed, self.step, plan.batch)
        return self._sight_losses(scenes, see(self.model, scenes))

    def _sight_losses(self, scenes: list[Scene], features: Tensor) -> dict[str, Tensor]:
        targets = scene_targets(scenes)
        logits = self.heads.vision(features).split(VISION_CLASSES, dim=-1)
        parts = [cross_entropy(x.flatten(0, 1), targets[..., i].flatten()) for i, x in enumerate(logits)]
        here = targets[..., 0] > 0
        hits = [(x.argmax(-1) == targets[..., i])[here].float().mean() for i, x in enumerate(logits)]
        words = self._word_loss(features[here], targets[here])
        names = ("colour", "shape", "column", "row", "depth")
        loss = torch.stack(parts).sum() + WORD_WEIGHT * words
        return {"loss": loss, "words": words, **dict(zip(names, hits, strict=True))}

    def _word_loss(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """How badly visual tokens [objects, width] name the objects they show."""
        unit = tokens / tokens.pow(2).mean(-1, keepdim=True).sqrt()
        embeddings = self.model.model.language_model.embed_tokens.weight.detach()
        named = (targets[:, 0] - 1) * len(SHAPES) + targets[:, 1] - 1
        ids = torch.tensor([word_ids(self.tokenizer, name) for name in NAMES])
        losses = [cross_entropy(WORD_SCALE * unit @ embeddings[column].T, named) for column in ids.T]
        return torch.stack(losses).sum()

    def _text_losses(self, lesson: Lesson) -> dict[str, Tensor]:
        features = see(self.model, lesson.scenes)
        parts = {"write": self._batch_losses(lesson.traces, lesson.scenes, features)}
        if lesson.judging is not None:
            parts["judge"] = self._batch_losses(lesson.judging, lesson.scenes, features)
        copied = self._copy(COPY_ROWS)
        sight = self._sight_losses(lesson.scenes, features)
        loss = COPY_WEIGHT * copied["loss"] + SIGHT_WEIGHT * sight["loss"]
        shown = {"copy_hit": copied["hit"]}
        for name, (text, truth, ground, hit) in parts.items():
            loss = loss + text + TRUTH_WEIGHT * truth + GROUND_WEIGHT * ground
            shown |= {name: text, f"{name}_truth": truth, f"{name}_ground": ground, f"{name}_hit": hit}
        return {"loss": loss, **shown}

    def _batch_losses(
        self, batch: Batch, scenes: list[Scene], features: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Losses of targets, of truth where a step ends, of what is named; and the share of hits."""
        final, layers = hidden_states(self.model, batch.rows, features)
        text, hit = self._row_loss(batch.rows, final)
        truth = _class_loss(self.heads.visual, layers[-2], batch.ends[..., 0])
        truth = truth + _class_loss(self.heads.logical, layers[-2], batch.ends[..., 1])
        if self.phase == "judging":
            at = torch.where(self.values[batch.rows.ids][..., None], batch.within, IGNORE)
            truth = truth + _split_loss(self.heads.compared, layers[COMPARED_LAYER], at, (GRADES, GRADES))
        things, counts = grounded(self.tokenizer, scenes, batch.rows)
        ground = _split_loss(self.heads.named, layers[GROUND_LAYER], things, NAMED_CLASSES)
        ground = ground + _split_loss(self.heads.counted, layers[GROUND_LAYER], counts, COUNTED_CLASSES)
        return text, truth, ground, hit


def _class_loss(head: nn.Linear, states: Tensor, targets: Tensor) -> Tensor:
    at = targets != IGNORE
    return cross_entropy(head(states[at]), targets[at]) if bool(at.any()) else torch.zeros(())


def _split_loss(head: nn.Linear, states: Tensor, targets: Tensor, classes: Sequence[int]) -> Tensor:
    """Sum of the losses of several attributes that one head reads; targets [rows, length, attributes]."""
    at = targets[..., 0] != IGNORE
    if not bool(at.any()):
        return torch.zeros(())
    logits = head(states[at]).split(list(classes), dim=-1)
    wanted = targets[at].unbind(-1)
    return torch.stack([cross_entropy(x, y) for x, y in zip(logits, wanted, strict=True)]).sum()


def value_tokens(tokenizer: Tokenizer) -> Tensor:
    """Which tokens are a value, a letter or a direction: [vocabulary], true or false."""
    value = re.compile(rf" ?(?:\d+|\([A-Z]\)|{'|'.join(DIRECTIONS)})")
    return torch.tensor([value.fullmatch(text) is not None for text in _texts(tokenizer)])


def token_weights(tokenizer: Tokenizer) -> Tensor:
    """Weight of every token in the loss: [vocabulary]."""
    content = re.compile(rf" ?(?:\d+(?:\.\d)?|\([A-Z]\)|{'|'.join((*NAMES, *DIRECTIONS))})")
    return torch.tensor([CONTENT_WEIGHT if content.fullmatch(text) else 1.0 for text in _texts(tokenizer)])


def _texts(tokenizer: Tokenizer) -> list[str]:
    return [tokenizer.decode([i], skip_special_tokens=False) for i in range(tokenizer.get_vocab_size())]


def schedule(step: int, steps: int) -> float:
    """Warm-up over 200 steps (a tenth of short phases), then a cosine down to 3 %."""
    warm = min(200, max(1, steps // 10))
    return min(1.0, (step + 1) / warm) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * step / steps)))
