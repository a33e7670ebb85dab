"""From requests to prompts in tokens: rendered, split into tokens, with a place for every visual token.

Belongs here: tokens, the positions of the rotary embedding, and how much of a prompt later prompts will
share. Does not belong here: the wording (`inference/prompts/`), the template (`chat.py`), the model's
computation (`checkpoint.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoTokenizer

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.local.chat import Chat
from verdict_assets.inference.engines.local.pictures import Picture, Pictures
from verdict_assets.inference.request import Request

_Grids = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in tokens."""

    tokens: tuple[int, ...]
    images: tuple[str, ...]
    """Hex sha256 of the pictures, in order."""
    head: NDArray[np.int64]
    """Positions [3, tokens up to the last visual token]."""
    delta: int
    """Position minus index of every token after the head, and of every generated one."""
    stem: int
    """Tokens at the beginning that are worth keeping, because later prompts will begin with them."""

    def positions(self, start: int) -> NDArray[np.int64]:
        """Positions [3, tokens] of the tokens from index `start` on."""
        after = np.arange(max(start, self.head.shape[1]), len(self.tokens)) + self.delta
        whole = np.concatenate([self.head[:, start:], np.broadcast_to(after, (3, len(after)))], axis=1)
        return np.asarray(whole[:, : len(self.tokens) - start], dtype=np.int64)

    def beginning(self, tokens: int) -> Prompt:
        """The first `tokens` tokens as a prompt of their own, all of it worth keeping."""
        return Prompt(self.tokens[:tokens], self.images, self.head, self.delta, tokens)


class PromptEncoder:
    """The tokenizer and chat template of a model folder, with what the model says about positions."""

    def __init__(
        self, folder: Path, model: torch.nn.Module, pictures: Pictures, *, image_token: int, merge: int
    ) -> None:
        """`model` has `get_rope_index`; merge: patches along one side of a visual token."""
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._chat = Chat(self._tokenizer, folder)
        self._model = model
        self._pictures = pictures
        self._image_token = image_token
        self._merge = merge
        self._positions = lru_cache(maxsize=1024)(self._rope_index)

    @property
    def eos(self) -> int | None:
        """The tokenizer's own end-of-sequence token."""
        found: int | None = self._tokenizer.eos_token_id
        return found

    def decode(self, tokens: Sequence[Sequence[int]]) -> list[str]:
        """The texts of these rows of tokens, without special tokens."""
        found: list[str] = self._tokenizer.batch_decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return found

    def prompts(self, requests: Sequence[Request], *, together: int) -> list[Prompt]:
        """The prompts of `requests`; `together` pictures a call of the vision tower.

        Raises UserError when a text contains the model's own image placeholder, or a picture cannot be used.
        """
        pictures: dict[str, Picture] = {}
        for native in (False, True):
            alike = [r for r in requests if ("native" in r.group.setup.image_recipe) is native]
            hashes = [sha256 for request in alike for sha256 in request.group.images]
            pictures |= self._pictures.load(hashes, together=together, native=native)
        rows = self._tokens([self._chat.prompt(request) for request in requests])
        with_tail = {r.group.key: r for r in requests if r.tail is not None or r.group.cue is not None}
        openings = self._tokens([self._chat.opening(request) for request in with_tail.values()])
        opening = dict(zip(with_tail, openings, strict=True))
        return [
            self._prompt(request, row, _common(row, opening.get(request.group.key, row)), pictures)
            for request, row in zip(requests, rows, strict=True)
        ]

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        if not texts:
            return []
        rows: list[list[int]] = self._tokenizer(texts, add_special_tokens=False)["input_ids"]
        return rows

    def _prompt(self, request: Request, row: list[int], stem: int, pictures: Mapping[str, Picture]) -> Prompt:
        images = request.group.images
        at = [index for index, token in enumerate(row) if token == self._image_token]
        if len(at) != len(images):
            raise UserError(
                f"the prompt has {len(at)} image placeholders for {len(images)} pictures",
                where=request.group.user[:200],
                remedy="check the chat template, and that no text contains the placeholder itself",
            )
        grids = tuple(pictures[sha256].grid for sha256 in images)
        tokens = list(row)
        for index, grid in reversed(list(zip(at, grids, strict=True))):
            count = grid[0] * grid[1] * grid[2] // self._merge**2
            tokens[index : index + 1] = [self._image_token] * count
            stem += count - 1 if index < stem else 0
        visual = [token == self._image_token for token in tokens]
        end = len(visual) - visual[::-1].index(True) if images else 0
        head, delta = self._positions(tuple(visual[:end]), grids)
        return Prompt(tuple(tokens), images, head, delta, stem)

    def _rope_index(self, visual: tuple[bool, ...], grids: _Grids) -> tuple[NDArray[np.int64], int]:
        """Positions of a prompt's head, and the shift of all that follows, by the model's `get_rope_index`.

        Positions depend on nothing but which tokens are visual, and after the last picture they rise by one,
        so one call per kind of head is enough.
        """
        if not visual:
            return np.zeros((3, 0), dtype=np.int64), 0
        kinds = torch.tensor([visual], dtype=torch.int)
        tokens = torch.where(kinds.bool(), self._image_token, 0).long()
        positions, deltas = self._model.get_rope_index(
            tokens, mm_token_type_ids=kinds, image_grid_thw=torch.tensor(grids)
        )
        return positions[:, 0].numpy(), int(deltas[0])


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    """Length of the common beginning."""
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))
