"""From a batch of prompts to finished texts: the loop of choosing tokens and noticing the end.

Belongs here: the loop, stop strings, what counts as which ending. Does not belong here: the model
(`checkpoint.py`), the arithmetic of a draw (`sampling.py`), which requests are batched together
(`transformers_engine.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verdict_assets.inference.engines.local.checkpoint import Checkpoint
from verdict_assets.inference.engines.local.prompt_tokens import Prompt
from verdict_assets.inference.engines.local.sampling import greedy, log_probability, sample, uniforms
from verdict_assets.inference.request import Finish, Setup


@dataclass(frozen=True, slots=True)
class Sample:
    """One text wanted of a prompt: index of the prompt in its batch, and the seed, None for greedy."""

    prompt: int
    seed: int | None


@dataclass(frozen=True, slots=True)
class Continuation:
    """What the model wrote.

    `tokens` counts the one that ended it, as servers do; `logprob` is the sum over the same tokens.
    """

    text: str
    finish: Finish
    tokens: int
    logprob: float
    reused: int
    """Prompt tokens that were not computed for this text, because the pool or an earlier sample of the prompt
    had them."""


class StopStrings:
    """Finds stop strings with little work: only rows whose newest token could end one are decoded."""

    def __init__(self, checkpoint: Checkpoint, stops: tuple[str, ...]) -> None:
        """A token could end a stop string if its own text contains the string's last character."""
        self._checkpoint = checkpoint
        self._stops = stops
        last = {stop[-1] for stop in stops}
        if all(character.isascii() for character in last):
            texts = (
                checkpoint.encoder.decode([[token] for token in range(checkpoint.vocabulary)])
                if stops
                else []
            )
            self._may_end = np.array([bool(last & set(text)) for text in texts], dtype=bool)
        else:  # such a character may be spread over tokens that are no text by themselves
            self._may_end = np.ones(checkpoint.vocabulary, dtype=bool)

    def candidates(self, tokens: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of tokens[rows] could end a stop string."""
        if not self._stops:
            return np.zeros(len(tokens), dtype=bool)
        return self._may_end[tokens]

    def cut(self, text: str) -> str | None:
        """`text` before the first stop string in it; None when it has none."""
        places = [place for stop in self._stops if (place := text.find(stop)) >= 0]
        return text[: min(places)] if places else None


def decode(
    checkpoint: Checkpoint,
    prompts: Sequence[Prompt],
    samples: Sequence[Sample],
    setup: Setup,
    stops: StopStrings,
) -> list[Continuation]:
    """One continuation for each of `samples`, all under `setup` and either all greedy or all seeded."""
    sequences = checkpoint.start(prompts, room=setup.max_tokens).select([s.prompt for s in samples])
    reused = _not_computed(prompts, samples, sequences.reused)
    noise = _noise(samples, setup.max_tokens)
    written = np.zeros((len(samples), setup.max_tokens), dtype=np.int64)
    logprobs = np.zeros(len(samples))
    done: dict[int, Continuation] = {}
    alive = np.arange(len(samples))  # row of `sequences` -> index into `samples`; finished rows are -1
    for step in range(setup.max_tokens):
        chosen = _choose(sequences.logits, None if noise is None else noise[alive, step], setup)
        rows = np.flatnonzero(alive >= 0)
        written[alive[rows], step] = chosen[rows]
        logprobs[alive[rows]] += log_probability(sequences.logits[rows], chosen[rows])
        for row, text, finish in _ended(
            checkpoint, stops, alive, chosen, written[:, : step + 1], setup.max_tokens
        ):
            index = int(alive[row])
            done[index] = Continuation(text, finish, step + 1, float(logprobs[index]), reused[index])
            alive[row] = -1
        rows = np.flatnonzero(alive >= 0)
        if len(rows) == 0:
            break
        if len(rows) * 2 <= len(alive):  # half of the work would be for nothing
            sequences, alive, chosen = sequences.select(rows.tolist()), alive[rows], chosen[rows]
        checkpoint.step(sequences, chosen)
    return [done[index] for index in range(len(samples))]


def _noise(samples: Sequence[Sample], count: int) -> NDArray[np.float64] | None:
    """[samples, count] uniform numbers, from each sample's own seed; None for greedy samples."""
    seeds = [sample.seed for sample in samples if sample.seed is not None]
    if len(seeds) < len(samples):
        return None
    return np.stack([uniforms(seed, count) for seed in seeds])


def _choose(
    logits: NDArray[np.float32], noise: NDArray[np.float64] | None, setup: Setup
) -> NDArray[np.int64]:
    if noise is None:
        return greedy(logits)
    return sample(
        logits, noise, temperature=setup.temperature, top_p=setup.top_p, top_k=setup.top_k, min_p=setup.min_p
    )


def _ended(
    checkpoint: Checkpoint,
    stops: StopStrings,
    alive: NDArray[np.int64],
    chosen: NDArray[np.int64],
    written: NDArray[np.int64],
    max_tokens: int,
) -> list[tuple[int, str, Finish]]:
    """Rows that ended with the tokens just `chosen`: (row, text, how)."""
    full = written.shape[1] == max_tokens
    at_eos = np.isin(chosen, list(checkpoint.eos))
    look = np.flatnonzero((alive >= 0) & (at_eos | stops.candidates(chosen) | full))
    rows = [
        row[:-1] if at_eos[i] else row for i, row in zip(look, written[alive[look]].tolist(), strict=True)
    ]
    texts = checkpoint.encoder.decode(rows) if rows else []
    ended = []
    for row, text in zip(look.tolist(), texts, strict=True):
        before = stops.cut(text)
        if before is not None:
            ended.append((row, before, Finish.NEWLINE))
        elif at_eos[row]:
            ended.append((row, text, Finish.EOS))
        elif full:
            ended.append((row, text, Finish.LENGTH))
    return ended


def _not_computed(prompts: Sequence[Prompt], samples: Sequence[Sample], pooled: Sequence[int]) -> list[int]:
    """Per sample the prompt tokens that cost nothing.

    Those from the pool, and for all but the first sample of a prompt the whole prompt.
    """
    seen: set[int] = set()
    counts = []
    for sample_, reused in zip(samples, pooled, strict=True):
        counts.append(len(prompts[sample_.prompt].tokens) if sample_.prompt in seen else reused)
        seen.add(sample_.prompt)
    return counts
