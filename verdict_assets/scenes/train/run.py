"""From a recipe to a model folder: tokenizer, training, export.

Belongs here: which files are read and written. The exported folder is a standard transformers folder; weights
are rounded to bfloat16 (half the size), which is what every later number rests on.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import Tokenizer

from verdict_assets.scenes.questions import DIRECTIONS, make_question
from verdict_assets.scenes.train.loop import Trainer
from verdict_assets.scenes.train.recipe import Recipe
from verdict_assets.scenes.train.samples import ALL_KINDS, base_sample, facts_sample, judge_sample
from verdict_assets.scenes.train.tokenizer import save_tokenizer, train_tokenizer
from verdict_assets.scenes.world import NAMES, QUARTERS, generator

_CORPUS_QUESTIONS = 3000


def corpus() -> Iterator[str]:
    """Text that holds every word of the world, of the prompts and of the chat template."""
    rng = generator("corpus")
    for i in range(_CORPUS_QUESTIONS):
        scene, question = make_question(rng, rng.choice(ALL_KINDS), "train", i % 4)
        trace = base_sample(rng, scene, question, 0.2)
        judged = judge_sample(rng, scene, question, 0.2, 2)
        yield trace.prompt
        yield "".join(line.text for line in trace.lines)
        yield judged.prompt + judged.between + judged.cue
        yield from (candidate.text for candidate in judged.candidates)
        yield "".join(line.text for line in facts_sample(rng, scene, question).lines)
    for word in (*NAMES, *QUARTERS, *DIRECTIONS):
        yield from (word, f" {word}")
    yield from ("(A)", " (A)", "user\n system\n assistant\n")
    yield from (f"{value / 10:.1f}" for value in range(11))


def train(recipe: Recipe, work: Path, out: Path) -> None:
    """Train (or go on training) in ``work`` and export to ``out``; losses go to ``work/losses.jsonl``."""
    work.mkdir(parents=True, exist_ok=True)
    tokenizer_file = work / "tokenizer.json"
    if not tokenizer_file.exists():
        train_tokenizer(corpus()).save(str(tokenizer_file))
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    trainer = Trainer(recipe, tokenizer, work / "state.pt")
    with (work / "losses.jsonl").open("a") as log:
        for losses in trainer.run():
            log.write(json.dumps({"phase": trainer.phase, **losses}) + "\n")
            log.flush()
    export(trainer, tokenizer, out)


def export(trainer: Trainer, tokenizer: Tokenizer, out: Path) -> None:
    """Write the model folder."""
    out.mkdir(parents=True, exist_ok=True)
    trainer.model.to(torch.bfloat16).save_pretrained(out)
    save_tokenizer(tokenizer, out)
