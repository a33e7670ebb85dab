"""Where engines get the images of a request from, by the hash that is part of the request's key.

Belongs here: the protocol and the check that the bytes are the ones that were asked for. Does not belong
here: where a benchmark keeps its images (`benchmarks/`) and how an engine prepares them.
"""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Callable, Mapping
from typing import Protocol

from verdict_assets.errors import UserError


class ImageSource(Protocol):
    """Gives the bytes of an image file by its hex sha256."""

    def bytes(self, sha256: str) -> builtins.bytes:
        """The file's bytes. Raises UserError when the image is unknown or its bytes do not have this hash."""
        ...


class VerifiedImages:
    """An ImageSource over any way of loading; every image is hashed before it is handed out."""

    def __init__(self, load: Callable[[str], builtins.bytes | None], where: str) -> None:
        """Take `load` from a hash to bytes or None, and `where`, which names the place in errors."""
        self._load = load
        self._where = where

    @classmethod
    def of(cls, images: Mapping[str, builtins.bytes], where: str = "memory") -> VerifiedImages:
        """Over a mapping from hash to bytes."""
        return cls(images.get, where)

    def bytes(self, sha256: str) -> builtins.bytes:
        """The file's bytes. Raises UserError when the image is unknown or its bytes do not have this hash."""
        data = self._load(sha256)
        if data is None:
            raise UserError(
                f"image {sha256} is not there",
                where=self._where,
                remedy="restore the benchmark's files: git checkout, or dvc pull",
            )
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            raise UserError(
                f"image {sha256} was changed: its bytes now have the hash {found}",
                where=self._where,
                remedy="restore the benchmark's files: the image is part of the request's key",
            )
        return data
