"""The one function through which the pipeline asks a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.request import Request, Response
from verdict_assets.inference.store import Store


def generate(
    requests: Sequence[Request],
    store: Store,
    engine: Engine,
    *,
    run_id: str,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Response]:
    """Answers in the order of `requests`; on_progress(answered, asked) counts what the engine was asked for."""
    raise NotImplementedError
