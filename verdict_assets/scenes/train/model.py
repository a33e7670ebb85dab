"""The model: a standard Qwen2.5-VL with a few million parameters, and the forward pass that training uses.

Belongs here: configuration, pixels, positions, hidden states. The forward pass encodes each picture once for
several text rows and computes logits only where there is a target; a test holds it against the model's own.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

from verdict_assets.scenes.train import tokenizer as tok
from verdict_assets.scenes.train.recipe import Recipe
from verdict_assets.scenes.world import CELL, SIDE, Scene, draw

PATCH = 14
GRID = SIDE // PATCH
MERGED = SIDE // CELL
IMAGE_TOKENS = MERGED * MERGED
HEAD = 32
GAIN = 3.0
"""Factor on the language model's initial matrices: the library's default suits widths of about a thousand."""


def build_model(recipe: Recipe, tokenizer: Tokenizer) -> Qwen2_5_VLForConditionalGeneration:
    """A freshly initialised model of the recipe's size, seeded by the recipe."""
    torch.manual_seed(recipe.seed)
    ids = {name: tokenizer.token_to_id(name) for name in tok.SPECIAL}
    text = {
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": recipe.width,
        "intermediate_size": 3 * recipe.width,
        "num_hidden_layers": recipe.layers,
        "num_attention_heads": recipe.width // HEAD,
        "num_key_value_heads": recipe.width // HEAD,
        "max_position_embeddings": 1024,
        "rope_parameters": {"rope_type": "default", "mrope_section": [4, 6, 6], "rope_theta": 10000.0},
        "tie_word_embeddings": True,
        "bos_token_id": ids[tok.PAD],
        "eos_token_id": ids[tok.END],
        "pad_token_id": ids[tok.PAD],
    }
    vision = {
        "depth": recipe.vision_layers,
        "hidden_size": recipe.vision_width,
        "intermediate_size": 3 * recipe.vision_width,
        "num_heads": recipe.vision_width // HEAD,
        "out_hidden_size": recipe.width,
        "patch_size": PATCH,
        "spatial_merge_size": GRID // MERGED,
        "temporal_patch_size": 2,
        "window_size": SIDE,
        "fullatt_block_indexes": list(range(recipe.vision_layers)),
        "in_channels": 3,
    }
    config = Qwen2_5_VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=ids[tok.IMAGE],
        video_token_id=ids[tok.VIDEO],
        vision_start_token_id=ids[tok.VISION_START],
        vision_end_token_id=ids[tok.VISION_END],
        tie_word_embeddings=True,
    )
    model = Qwen2_5_VLForConditionalGeneration(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim == 2 and "visual" not in name:
                weight.mul_(GAIN)
    model.generation_config.eos_token_id = ids[tok.END]
    model.generation_config.pad_token_id = ids[tok.PAD]
    return model


def patches(scene: Scene) -> NDArray[np.float32]:
    """The picture as the image processor lays it out: [GRID * GRID, 3 * 2 * PATCH * PATCH], in [-1, 1]."""
    pixels = np.asarray(draw(scene), dtype=np.float32) / 127.5 - 1.0
    frames = np.stack([pixels.transpose(2, 0, 1)] * 2)
    half = GRID // MERGED
    split = frames.reshape(1, 2, 3, MERGED, half, PATCH, MERGED, half, PATCH)
    return split.transpose(0, 3, 6, 4, 7, 2, 1, 5, 8).reshape(GRID * GRID, -1)


def see(model: Qwen2_5_VLForConditionalGeneration, scenes: list[Scene]) -> Tensor:
    """Visual tokens of the scenes: [scenes, IMAGE_TOKENS, width]."""
    pixels = torch.from_numpy(np.concatenate([patches(scene) for scene in scenes]))
    grid = torch.tensor([[1, GRID, GRID]] * len(scenes))
    out = model.model.visual(pixels, grid_thw=grid)
    features: Tensor = out.pooler_output
    return features.view(len(scenes), IMAGE_TOKENS, -1)


@dataclass(frozen=True, slots=True)
class Rows:
    """Text rows of a batch, right-padded; all tensors [rows, length] but ``scene`` [rows].

    ``targets`` holds -100 where nothing is to be predicted; ``order`` is a token's place in the text it
    belongs to. A row may carry blocks after its trunk: alternative continuations of it that do not see each
    other. ``block`` is 0 on the trunk, ``attach`` how much of the trunk a token sees. ``scene`` is the index
    of the row's picture, or all -1 when no row has one.
    """

    ids: Tensor
    targets: Tensor
    order: Tensor
    block: Tensor
    attach: Tensor
    scene: Tensor


def positions(rows: Rows, image_token: int) -> Tensor:
    """Rotary positions [3, rows, length]; a picture, if any, lies at the same place in every row."""
    where = (rows.ids[0] == image_token).nonzero().flatten()
    if len(where) == 0:
        return rows.order.expand(3, *rows.order.shape)
    first, last = int(where[0]), int(where[-1])
    cell = rows.order - first
    text = torch.where(rows.order > last, rows.order - (last + 1) + first + MERGED, rows.order)
    inside = (cell >= 0) & (rows.order <= last)
    axes = (torch.full_like(cell, first), first + cell // MERGED, first + cell % MERGED)
    return torch.stack([torch.where(inside, axis, text) for axis in axes])


def visible(rows: Rows) -> Tensor | None:
    """Which token sees which, [rows, 1, length, length]; None when plain causal order holds."""
    if not bool(rows.block.any()):
        return None
    length = rows.ids.shape[1]
    earlier = torch.ones(length, length, dtype=torch.bool).tril()
    trunk = (rows.block == 0)[:, None, :] & (torch.arange(length)[None, None, :] < rows.attach[:, :, None])
    same = rows.block[:, :, None] == rows.block[:, None, :]
    return (earlier & (trunk | same))[:, None]


def hidden_states(
    model: Qwen2_5_VLForConditionalGeneration, rows: Rows, features: Tensor | None
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Final normalised states [rows, length, width] and the states after every layer."""
    image_token = model.config.image_token_id
    embedded = model.model.language_model.embed_tokens(rows.ids)
    if features is not None:
        flat = features[rows.scene].reshape(-1, features.shape[-1])
        embedded = embedded.masked_scatter((rows.ids == image_token).unsqueeze(-1), flat)
    out = model.model.language_model(
        inputs_embeds=embedded,
        position_ids=positions(rows, image_token),
        attention_mask={"full_attention": visible(rows)},
        use_cache=False,
        output_hidden_states=True,
    )
    return out.last_hidden_state, out.hidden_states
