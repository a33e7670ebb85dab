"""A tiny model, a few pictures, and requests to it."""

import hashlib
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from tiny_model import write_tiny_model

from verdict_assets.inference.images import VerifiedImages
from verdict_assets.inference.request import Group, Request, Setup
from verdict_assets.inference.weights import identify

torch.set_num_threads(1)  # two cores shared with other work: threads that wait for each other are slower


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def pictures() -> dict[str, bytes]:
    """Six pictures of two sizes by hash."""
    rng = np.random.default_rng(0)
    found = {}
    for index in range(6):
        side = 56 if index % 3 == 2 else 112
        blocks = rng.integers(0, 255, (4, 4, 3), dtype=np.uint8).repeat(side // 4, 0).repeat(side // 4, 1)
        buffer = io.BytesIO()
        Image.fromarray(blocks).save(buffer, "PNG")
        found[hashlib.sha256(buffer.getvalue()).hexdigest()] = buffer.getvalue()
    return found


@pytest.fixture(scope="session")
def source(pictures: dict[str, bytes]) -> VerifiedImages:
    return VerifiedImages.of(pictures)


@pytest.fixture(scope="session")
def steps(tiny: Path) -> Setup:
    """How steps are asked for."""
    made = identify(tiny)
    return Setup(
        model="tiny",
        revision=made.revision,
        tokenizer=made.tokenizer,
        template=made.template,
        dtype="float32",
        image_recipe="scenes-native-1",
        temperature=0.8,
        top_p=0.6,
        max_tokens=24,
        stop=("\n",),
        logprobs=True,
    )


@pytest.fixture(scope="session")
def requests(steps: Setup, pictures: dict[str, bytes]) -> list[Request]:
    """Steps with several draws and prefixes of every length, and judge requests, greedy and seeded."""
    hashes = list(pictures)
    judge = replace(steps, temperature=0.0, top_p=1.0, max_tokens=3, stop=())
    seeded = replace(judge, temperature=0.8, logprobs=False)
    found = []
    for index in range(9):
        trace = "".join(f"the blue square is left {i} .\n" for i in range(index % 5))
        question = f"how many red circle are there {index} ?\n(A) 1\n(B) 2\n"
        images = (hashes[index % 6],) if index != 7 else (hashes[0], hashes[2])
        place = Group(steps, images, question + "reason", assistant=trace or None)
        found += [Request(place, None, draw) for draw in range(3)] + [Request(place)]
        for setup, draw in ((judge, None), (seeded, 0), (seeded, 1)):
            text = f"{question}true ?\nsteps so far :\n{trace}step to judge :\n"
            where = Group(setup, images, text, cue="\nscore :", system="be fair" if index % 2 else None)
            found += [Request(where, f"red is left of {c} .", draw) for c in ("A", "the blue square", "B")]
    return found
