"""Opening the engine that a run names, with the project's weights and pictures.

Here: names of engines and what each needs. Not here: the engines (`inference/engines`), each imported only
when it is named, so that a run without a model needs no torch.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.benchmarks.images import image_source
from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.engines.replay import ReplayEngine
from verdict_assets.inference.images import ImageSource
from verdict_assets.inference.store import Store

ENGINES = ("replay", "transformers", "openai")
API_KEY_VARIABLE = "VERDICT_API_KEY"
"""Environment variable with the key of a hosted server; a key does not belong into a file or a command."""


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Which engine, and how it runs; none of it can change a question that is asked.

    url: of an OpenAI-compatible server, with its version path (".../v1"). batch_size: requests decoded
    together, or in flight at a server; None leaves the engine's own choice. threads: of torch.
    """

    name: str = "replay"
    url: str | None = None
    batch_size: int | None = None
    threads: int | None = None


def open_engine(choice: EngineChoice, root: Path, benchmarks: Iterable[str], store: Store) -> Engine:
    """The engine, ready to be asked; the caller closes it.

    Raises `UserError` for a name that does not exist, a server without an address, or a missing environment.
    """
    if choice.name == "replay":
        return ReplayEngine(store)
    if choice.name not in ENGINES:
        raise UserError(f"there is no engine {choice.name!r}", remedy=f"use one of: {', '.join(ENGINES)}")
    images = image_source(root, benchmarks)
    return _server(choice, images) if choice.name == "openai" else _transformers(choice, root, images)


def _server(choice: EngineChoice, images: ImageSource) -> Engine:
    from verdict_assets.inference.engines.openai_client import OpenAIEngine

    if not choice.url:
        raise UserError(
            "the engine openai needs the address of a server",
            remedy="give its url with the version path, like http://127.0.0.1:8000/v1",
        )
    key = os.environ.get(API_KEY_VARIABLE)
    if choice.batch_size is None:
        return OpenAIEngine(choice.url, images, api_key=key)
    return OpenAIEngine(choice.url, images, concurrency=choice.batch_size, api_key=key)


def _transformers(choice: EngineChoice, root: Path, images: ImageSource) -> Engine:
    try:
        from verdict_assets.inference.engines.transformers_engine import TransformersEngine
    except ModuleNotFoundError as error:
        raise UserError(
            f"the engine transformers needs {error.name}, which is not installed here",
            remedy="use the environment that `make test-models` makes, or install the extra `models`",
        ) from error
    weights = Project(root).weights
    folders = {folder.name: folder for folder in sorted(weights.iterdir()) if folder.is_dir()}
    if choice.batch_size is None:
        return TransformersEngine(folders, images, threads=choice.threads)
    return TransformersEngine(folders, images, batch_size=choice.batch_size, threads=choice.threads)
