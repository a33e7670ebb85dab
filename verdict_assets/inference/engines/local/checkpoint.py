"""One model folder in memory: from prompts in tokens to logits.

Belongs here: loading, prefill and one decoding step for a batch of sequences. Does not belong here: how a
prompt becomes tokens (`prompt_tokens.py`), sampling and stopping (`decoding.py`), which requests share a
batch.

A sequence lies in a row of slots: [kept prefix | rest of the prompt | generated tokens]. Prefixes and rests
differ in length; the prefix is padded on its right, the rest on its left, so that the last prompt token of
every row stands in the same column. Every row carries its own mask and its own positions, so padding changes
nothing but the order of sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from transformers import AutoModelForImageTextToText, GenerationConfig
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.local.kv_pool import BLOCK, Block, KvPool
from verdict_assets.inference.engines.local.pictures import Pictures
from verdict_assets.inference.engines.local.prompt_tokens import Prompt, PromptEncoder
from verdict_assets.inference.images import ImageSource
from verdict_assets.inference.weights import WeightsIdentity, identify

ARCHITECTURES = ("qwen2_vl", "qwen2_5_vl")
"""Model types whose language model takes embeddings and three-dimensional rotary positions."""

VERSION = f"{transformers.__version__}, torch {torch.__version__}"
"""Of the programs that compute."""

_MINUS_INFINITY = float("-inf")


class Slots:
    """Keys and values of a batch of sequences; what the model's attention layers know as their cache."""

    def __init__(self, buffer: torch.Tensor, filled: int) -> None:
        """`buffer` [layers, 2, rows, heads, slots, width]; its first `filled` slots hold something."""
        self.buffer = buffer
        self.filled = filled

    def update(
        self, keys: torch.Tensor, values: torch.Tensor, layer: int, *_: object, **__: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write the new tokens' keys and values [rows, heads, new, width]; return all up to and with them."""
        end = self.filled + keys.shape[2]
        kept_keys, kept_values = self.buffer[layer]
        kept_keys[:, :, self.filled : end] = keys
        kept_values[:, :, self.filled : end] = values
        return kept_keys[:, :, :end], kept_values[:, :, :end]

    def get_seq_length(self, _layer: int = 0) -> int:
        """Slots filled so far."""
        return self.filled


@dataclass(slots=True)
class Sequences:
    """A batch of sequences, ready for its next token."""

    slots: Slots
    mask: torch.Tensor
    """[rows, slots]: 0 where a slot may be attended to, minus infinity where it is padding."""
    next_position: torch.Tensor
    """[rows]: rotary position of the next token."""
    logits: NDArray[np.float32]
    """[rows, vocabulary] for the next token."""
    reused: list[int]
    """Per row: prompt tokens that were taken from the pool."""

    def select(self, rows: Sequence[int]) -> Sequences:
        """The sequences of these rows, in this order; a row may stand several times."""
        if list(rows) == list(range(len(self.logits))):
            return self
        index = torch.tensor(rows)
        return Sequences(
            Slots(self.slots.buffer.index_select(2, index), self.slots.filled),
            self.mask[index],
            self.next_position[index],
            self.logits[rows],
            [self.reused[row] for row in rows],
        )


class Checkpoint:
    """A loaded model folder. float32, on the CPU."""

    def __init__(self, folder: Path, source: ImageSource, *, pool_bytes: int) -> None:
        """Raises UserError when the folder is incomplete or of an unknown architecture."""
        self.identity: WeightsIdentity = identify(folder)
        model = AutoModelForImageTextToText.from_pretrained(
            folder, dtype=torch.float32, local_files_only=True
        )
        _refuse_unknown(model.config, folder)
        self._inner = model.eval().model
        self._text = self._inner.language_model
        self._head: torch.nn.Module = model.lm_head
        text = model.config.text_config
        text._attn_implementation = _grouped_attention_name()
        self._layers, self._heads = int(text.num_hidden_layers), int(text.num_key_value_heads)
        self._width = int(text.hidden_size) // int(text.num_attention_heads)
        self._queries_per_key = int(text.num_attention_heads) // self._heads
        self.longest = int(text.max_position_embeddings)
        self._image_token = int(model.config.image_token_id)
        self._pictures = Pictures(folder, self._inner, source)
        self.encoder = PromptEncoder(
            folder,
            self._inner,
            self._pictures,
            image_token=self._image_token,
            merge=int(model.config.vision_config.spatial_merge_size),
        )
        self._pool = KvPool(self._layers, self._heads, self._width, pool_bytes) if pool_bytes else None
        self.eos = _eos_tokens(folder, model.config, self.encoder.eos)

    @property
    def vocabulary(self) -> int:
        """Number of logits a row."""
        return int(self._text.embed_tokens.weight.shape[0])

    def remember(self, prompts: Sequence[Prompt]) -> None:
        """Compute and keep the stems that several prompts may share, each once, so that `start` finds them.

        A prompt that is all stem needs no such preparation: `start` computes it and keeps it in one go.
        """
        if self._pool is None:
            return
        self._pool.begin()
        stems: dict[tuple[tuple[str, ...], tuple[int, ...]], Prompt] = {}
        for prompt in prompts:
            whole = prompt.stem // BLOCK * BLOCK
            if whole and prompt.stem < len(prompt.tokens):
                tokens = prompt.tokens[:whole]
                stems[(prompt.images, tokens)] = prompt.beginning(whole)
        new = [s for s in stems.values() if len(self._pool.find(s.tokens, s.images, s.stem)) * BLOCK < s.stem]
        if new:
            self._prefill(new, room=0)

    def start(self, prompts: Sequence[Prompt], *, room: int) -> Sequences:
        """Run `prompts` through the model; `room` is the number of tokens that may follow."""
        if self._pool is not None:
            self._pool.begin()
        return self._prefill(prompts, room)

    def step(self, sequences: Sequences, tokens: NDArray[np.int64]) -> None:
        """Append tokens[rows] and compute the logits of the ones after them, in place."""
        slots = sequences.slots
        mask = sequences.mask[:, None, None, : slots.filled + 1]
        positions = sequences.next_position[None, :, None].expand(3, -1, 1)
        with torch.inference_mode():
            embeddings = self._text.embed_tokens(torch.from_numpy(tokens)[:, None])
            sequences.logits = self._forward(slots, embeddings, positions, mask)
        sequences.next_position += 1

    def _prefill(self, prompts: Sequence[Prompt], room: int) -> Sequences:
        chains: list[list[Block]] = [[] for _ in prompts]
        if self._pool is not None:  # the last token is always computed: its logits are wanted
            chains = [self._pool.find(p.tokens, p.images, len(p.tokens) - 1) for p in prompts]
        known = [len(chain) * BLOCK for chain in chains]
        prefix = max(known)
        rest = max(len(p.tokens) - k for p, k in zip(prompts, known, strict=True))
        rows, end = len(prompts), prefix + rest
        # Not cleared: every slot, padding too, is written before anything attends to it.
        buffer = torch.empty((self._layers, 2, rows, self._heads, end + room, self._width))
        if self._pool is not None and prefix:
            self._pool.copy_out(chains, buffer[..., :prefix, :])
        slots = Slots(buffer, prefix)
        tokens = np.zeros((rows, rest), dtype=np.int64)
        positions = np.zeros((3, rows, rest), dtype=np.int64)
        open_slots = np.zeros((rows, end + room), dtype=bool)
        open_slots[:, end:] = True
        for row, (prompt, start) in enumerate(zip(prompts, known, strict=True)):
            size = len(prompt.tokens) - start
            tokens[row, rest - size :] = prompt.tokens[start:]
            positions[:, row, rest - size :] = prompt.positions(start)
            open_slots[row, :start] = True
            open_slots[row, end - size : end] = True
        mask = torch.zeros(open_slots.shape).masked_fill_(~torch.from_numpy(open_slots), _MINUS_INFINITY)
        with torch.inference_mode():
            embeddings = self._embed(prompts, tokens, known)
            logits = self._forward(
                slots, embeddings, torch.from_numpy(positions), self._causal(mask, prefix, rest)
            )
        if self._pool is not None:
            self._keep(self._pool, prompts, chains, slots.buffer, end)
        following = torch.tensor([len(p.tokens) + p.delta for p in prompts])
        return Sequences(slots, mask, following, logits, known)

    def _embed(
        self, prompts: Sequence[Prompt], tokens: NDArray[np.int64], known: Sequence[int]
    ) -> torch.Tensor:
        """Embeddings [rows, rest, hidden] of tokens[rows, rest], with visual tokens in their places."""
        embeddings: torch.Tensor = self._text.embed_tokens(torch.from_numpy(tokens))
        visual = tokens == self._image_token
        if visual.any():
            parts = []
            for row in np.flatnonzero(visual.any(axis=1)).tolist():
                prompt = prompts[row]
                before = prompt.tokens[: known[row]].count(self._image_token)
                seen = self._pictures.load(prompt.images, together=1, native=False)
                parts.append(torch.cat([seen[sha256].features for sha256 in prompt.images])[before:])
            embeddings[torch.from_numpy(visual)] = torch.cat(parts)
        return embeddings

    def _causal(self, mask: torch.Tensor, prefix: int, rest: int) -> torch.Tensor:
        """Mask [rows, 1, queries, slots] of a prefill: what `mask` opens and does not lie in the future.

        A padding query may see itself: a row of the softmax without any open place would be undefined.
        Queries that share keys are stacked, see `_grouped_attention`.
        """
        future = torch.full((rest, rest), _MINUS_INFINITY).triu_(1)
        whole = mask[:, None, None, : prefix + rest].repeat(1, 1, rest, 1)
        whole[..., prefix:] += future
        here = torch.arange(rest)
        whole[:, :, here, prefix + here] = 0.0
        return whole.repeat(1, 1, self._queries_per_key, 1)

    def _forward(
        self, slots: Slots, embeddings: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor
    ) -> NDArray[np.float32]:
        """Logits [rows, vocabulary] after the last of embeddings[rows, new, hidden]; fills the slots."""
        output = self._text(
            inputs_embeds=embeddings,
            position_ids=positions,
            attention_mask={"full_attention": mask},
            past_key_values=slots,
            use_cache=True,
        )
        slots.filled += embeddings.shape[1]
        logits: NDArray[np.float32] = self._head(output.last_hidden_state[:, -1]).numpy()
        return logits

    def _keep(
        self,
        pool: KvPool,
        prompts: Sequence[Prompt],
        chains: list[list[Block]],
        buffer: torch.Tensor,
        end: int,
    ) -> None:
        """Put the stems' new full blocks into the pool; `end` is the column after the last prompt token."""
        blocks: list[Block] = []
        rows: list[int] = []
        starts: list[int] = []
        for row, (prompt, chain) in enumerate(zip(prompts, chains, strict=True)):
            added = pool.add(prompt.tokens, prompt.images, chain, prompt.stem)
            first = end - len(prompt.tokens) + len(chain) * BLOCK
            blocks += added
            rows += [row] * len(added)
            starts += [first + BLOCK * index for index in range(len(added))]
        pool.fill(blocks, buffer, rows, starts)


def use_threads(count: int) -> None:
    """Let torch compute with `count` threads, in this whole process."""
    torch.set_num_threads(count)


def _grouped_attention(
    _module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    *,
    scaling: float,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Attention in which several query heads share a key head, without copying the keys for each of them.

    The queries of one group become more queries of one head, which is the same sum. `attention_mask` is
    additive with as many query places as that, or one.
    """
    rows, heads, new, width = query.shape
    stacked = query.reshape(rows, key.shape[1], -1, width)
    output = torch.nn.functional.scaled_dot_product_attention(
        stacked, key, value, attention_mask, scale=scaling
    )
    return output.reshape(rows, heads, new, width).transpose(1, 2), None


def _grouped_attention_name() -> str:
    name = "verdict_grouped"
    ALL_ATTENTION_FUNCTIONS.register(name, _grouped_attention)
    return name


def _refuse_unknown(config: object, folder: Path) -> None:
    kind = getattr(config, "model_type", None)
    layers = getattr(getattr(config, "text_config", None), "layer_types", ())
    if kind not in ARCHITECTURES or set(layers) - {"full_attention"}:
        raise UserError(
            f"this engine does not run models of type {kind!r} with {', '.join(sorted(set(layers)))}",
            where=folder,
            remedy=f"use one of {', '.join(ARCHITECTURES)} with full attention, or serve it and give the URL",
        )


def _eos_tokens(folder: Path, config: object, tokenizer_eos: int | None) -> frozenset[int]:
    """Every token that ends a sequence, as servers see it: generation_config.json's and the tokenizer's."""
    found: set[int] = set() if tokenizer_eos is None else {tokenizer_eos}
    if (folder / "generation_config.json").is_file():
        named = GenerationConfig.from_pretrained(folder, local_files_only=True).eos_token_id
    else:
        named = getattr(getattr(config, "text_config", None), "eos_token_id", None)
    found.update([named] if isinstance(named, int) else named or [])
    return frozenset(found)
