"""Image files to visual tokens: prepared by the model folder's own processor, encoded once, kept for a while.

Belongs here: preparation, the vision tower, the cache of its output. Does not belong here: where files come
from (`inference/images.py`) and where visual tokens stand in a prompt (`checkpoint.py`).
"""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from PIL import Image, UnidentifiedImageError
from transformers import AutoImageProcessor

from verdict_assets.errors import UserError
from verdict_assets.inference.images import ImageSource

NATIVE = "native"
"""An image recipe with this word in its name promises that pictures are not resized."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One image as the language model sees it: its grid of patches and its visual tokens [tokens, width]."""

    grid: tuple[int, int, int]
    features: torch.Tensor


class Pictures:
    """Visual tokens by image hash."""

    def __init__(self, folder: Path, model: torch.nn.Module, source: ImageSource, keep: int = 4096) -> None:
        """`model` has `get_image_features`; the last `keep` pictures used stay in memory."""
        self._processor = AutoImageProcessor.from_pretrained(folder, local_files_only=True)
        self._model = model
        self._source = source
        self._keep = keep
        self._known: OrderedDict[str, Picture] = OrderedDict()

    def load(self, hashes: Iterable[str], *, together: int, native: bool) -> dict[str, Picture]:
        """The pictures for `hashes`, `together` of them at a time through the vision tower.

        Raises UserError for a missing or unreadable file, and, if `native`, for one that would have to be
        resized.
        """
        wanted = list(dict.fromkeys(hashes))
        lacking = [sha256 for sha256 in wanted if sha256 not in self._known]
        for start in range(0, len(lacking), together):
            self._encode(lacking[start : start + together], native)
        found = {sha256: self._known[sha256] for sha256 in wanted}
        for sha256 in wanted:
            self._known.move_to_end(sha256)
        while len(self._known) > self._keep:
            self._known.popitem(last=False)
        return found

    def _encode(self, hashes: Sequence[str], native: bool) -> None:
        images = [self._decoded(sha256) for sha256 in hashes]
        prepared = self._processor(images=images, return_tensors="pt")
        grids: torch.Tensor = prepared["image_grid_thw"]
        with torch.inference_mode():
            output = self._model.get_image_features(prepared["pixel_values"], grids, return_dict=True)
        patch = int(self._processor.patch_size)
        for sha256, image, grid, features in zip(
            hashes, images, grids.tolist(), output.pooler_output, strict=True
        ):
            if native and (grid[2] * patch, grid[1] * patch) != image.size:
                raise UserError(
                    f"the picture of {image.width} x {image.height} pixels would be resized to "
                    f"{grid[2] * patch} x {grid[1] * patch}, but the image recipe says it is used as it is",
                    where=f"image {sha256}",
                    remedy="use pictures whose sides are multiples of patch times merge size",
                )
            self._known[sha256] = Picture((grid[0], grid[1], grid[2]), features.clone())

    def _decoded(self, sha256: str) -> Image.Image:
        try:
            return Image.open(io.BytesIO(self._source.bytes(sha256))).convert("RGB")
        except (UnidentifiedImageError, OSError) as error:
            raise UserError(
                f"cannot decode the image: {error}",
                where=f"image {sha256}",
                remedy="restore the benchmark's files; only formats that Pillow reads can be used",
            ) from error
