"""The pictures of benchmarks, by the hash of the file as shipped."""

from collections.abc import Iterable
from pathlib import Path

from verdict_assets.benchmarks.load import read_columns
from verdict_assets.inference.images import VerifiedImages


def image_source(root: Path, benchmarks: Iterable[str]) -> VerifiedImages:
    """All pictures of ``benchmarks`` in the project at ``root``; each is hashed when it is used."""
    images: dict[str, bytes] = {}
    names = sorted(set(benchmarks))
    for benchmark in names:
        for hashes, pictures in read_columns(root, benchmark, ("image_sha256", "images")):
            images.update(zip(hashes, pictures, strict=True))
    return VerifiedImages.of(images, where=f"benchmarks {', '.join(names)}")
