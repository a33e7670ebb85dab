"""The training run: three phases, resumable, with rate and time left on screen.

Belongs here: optimisation and checkpoints. Step s of a phase sees data that depend on seed, phase and s
alone, so a run that was killed and went on has learnt from the same batches as one that was not.
"""

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import Qwen2_5_VLForConditionalGeneration

from verdict_assets.scenes.train.batches import (
    IGNORE,
    Batch,
    Lesson,
    copy_rows,
    joint_lesson,
    language_lesson,
    scene_targets,
    vision_batch,
)
from verdict_assets.scenes.train.model import Rows, build_model, hidden_states, see
from verdict_assets.scenes.train.recipe import PHASES, Phase, Recipe
from verdict_assets.scenes.world import COLOURS, COLUMNS, DEPTHS, ROWS, SHAPES, Scene

VISION_CLASSES = (len(COLOURS) + 1, len(SHAPES) + 1, COLUMNS + 1, ROWS + 1, DEPTHS + 1)
WORD_SCALE = 4.0
"""Sharpness of the match between a normalised visual token and the embedding of a word."""
GRADES = 11
JUDGE_WEIGHT = 1.0
TRUTH_WEIGHT = 0.3
COPY_ROWS, COPY_WEIGHT = 4, 0.3
"""Rows of plain repetition that go along with the task, since looking back is soon unlearnt without them."""
WORD_WEIGHT = 0.5
SIGHT_WEIGHT = 0.2
"""How much the plain reading of visual tokens still counts once they serve the whole task."""
"""Weight of the auxiliary loss that asks, where a step ends, how true it is."""
SAVE_EVERY = 100


class Heads(nn.Module):
    """Training-only read-outs; they are not part of the saved model."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.vision = nn.Linear(width, sum(VISION_CLASSES))
        self.visual = nn.Linear(width, GRADES)
        self.logical = nn.Linear(width, GRADES)


class Trainer:
    """Model, heads and the place in the run; ``run`` goes on from wherever the state file says."""

    def __init__(self, recipe: Recipe, tokenizer: Tokenizer, state: Path | None) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe, self.tokenizer, self.state_file = recipe, tokenizer, state
        self.model: Qwen2_5_VLForConditionalGeneration = build_model(recipe, tokenizer)
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
        make = language_lesson if self.phase == "language" else joint_lesson
        return self._text_losses(make(self.tokenizer, self.recipe.seed, self.step, plan.batch))

    def _copy_losses(self, plan: Phase) -> dict[str, Tensor]:
        return self._copy(plan.batch)

    def _copy(self, size: int) -> dict[str, Tensor]:
        rows = copy_rows(self.tokenizer, self.recipe.seed, self.step, size)
        loss, hit = self._row_loss(rows, hidden_states(self.model, rows, None)[0])
        return {"loss": loss, "hit": hit}

    def _row_loss(self, rows: Rows, final: Tensor) -> tuple[Tensor, Tensor]:
        """Loss of the targets, and the share of them that is predicted."""
        wanted = rows.targets[:, 1:]
        at = wanted != IGNORE
        logits = self.model.lm_head(final[:, :-1][at])
        return cross_entropy(logits, wanted[at]), (logits.argmax(-1) == wanted[at]).float().mean()

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
        names = [f"{colour} {shape}" for colour in COLOURS for shape in SHAPES]
        named = (targets[:, 0] - 1) * len(SHAPES) + targets[:, 1] - 1
        loss = torch.zeros(())
        for before in ("", " "):
            ids = [self.tokenizer.encode(before + name, add_special_tokens=False).ids[0] for name in names]
            loss = loss + cross_entropy(WORD_SCALE * unit @ embeddings[ids].T, named)
        return loss

    def _text_losses(self, lesson: Lesson) -> dict[str, Tensor]:
        features = see(self.model, lesson.scenes) if lesson.scenes else None
        write, write_truth, write_hit = self._batch_loss(lesson.traces, features)
        judge, judge_truth, judge_hit = self._batch_loss(lesson.judging, features)
        loss = write + JUDGE_WEIGHT * judge + TRUTH_WEIGHT * (write_truth + judge_truth)
        copied = self._copy(COPY_ROWS)
        loss = loss + COPY_WEIGHT * copied["loss"]
        if features is not None:
            loss = loss + SIGHT_WEIGHT * self._sight_losses(lesson.scenes, features)["loss"]
        names = ("loss", "write", "judge", "write_truth", "judge_truth", "write_hit", "judge_hit", "copy_hit")
        values = (loss, write, judge, write_truth, judge_truth, write_hit, judge_hit, copied["hit"])
        return dict(zip(names, values, strict=True))

    def _batch_loss(self, batch: Batch, features: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """Loss of the targets, loss of the truth where a step ends, and share of targets predicted."""
        final, layers = hidden_states(self.model, batch.rows, features)
        text, hit = self._row_loss(batch.rows, final)
        truth = _truth_loss(self.heads.logical, layers[-3], batch.logical)
        if features is not None:
            truth = truth + _truth_loss(self.heads.visual, layers[-3], batch.visual)
        return text, truth, hit


def _truth_loss(head: nn.Linear, states: Tensor, targets: Tensor) -> Tensor:
    at = targets != IGNORE
    return cross_entropy(head(states[at]), targets[at])


def schedule(step: int, steps: int) -> float:
    """Warm-up over 200 steps (a tenth of short phases), then a cosine down to 3 %."""
    warm = min(200, max(1, steps // 10))
    return min(1.0, (step + 1) / warm) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * step / steps)))
