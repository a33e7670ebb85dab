"""The one function through which the pipeline asks a model: the store first, the engine for what is missing.

Belongs here: removing duplicates, asking, committing on the way. Does not belong here: what to ask
(`rollout/`, `methods/`), how to reach a model (`engines/`), retries (the engine's client has the only retry
layer).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.request import Request, Response, State
from verdict_assets.inference.store import Store

ANSWERS_PER_COMMIT = 2_000
SECONDS_PER_COMMIT = 30.0
"""Whichever comes first: a killed run loses at most this much, and the open layer does not fill with tiny
shards."""

_Place = tuple[str, str | None, int | None]


def generate(
    requests: Sequence[Request],
    store: Store,
    engine: Engine,
    *,
    run_id: str,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Response]:
    """Answers in the order of `requests`.

    Equal requests are asked once, and what the store knows is not asked.

    Answers are committed to the store on the way and when anything stops the call, so what was paid for is
    kept. Responses with state error are returned but not stored: nothing was learned, and a later call asks
    again. `on_progress(answered, asked)` counts the requests that the engine is asked.

    Raises what the engine raises (EngineLost, ReplayMiss), and UserError when an engine breaks its protocol.
    """
    missing: dict[_Place, Request] = {}
    for request, answer in zip(requests, store.get_many(requests), strict=True):
        if answer is None:
            missing.setdefault(_place(request), request)
    failed: dict[_Place, Response] = {}
    if missing:
        failed = _ask(list(missing.values()), store, engine, run_id, on_progress)
    return [_answer(request, store, failed) for request in requests]


def _ask(
    requests: list[Request],
    store: Store,
    engine: Engine,
    run_id: str,
    on_progress: Callable[[int, int], None] | None,
) -> dict[_Place, Response]:
    """Ask the engine and commit; returns the responses with state error, which the store does not take."""
    failed: dict[_Place, Response] = {}
    pending: list[tuple[Request, Response]] = []
    answered: set[int] = set()
    committed_at = time.monotonic()
    try:
        for index, response in engine.run(requests):
            request = _requested(requests, index, answered, engine)
            response = _checked(request, response, engine)
            if response.state is State.ERROR:
                failed[_place(request)] = response
            else:
                pending.append((request, response))
            if on_progress is not None:
                on_progress(len(answered), len(requests))
            if len(pending) >= ANSWERS_PER_COMMIT or time.monotonic() - committed_at > SECONDS_PER_COMMIT:
                _commit(pending, store, engine, run_id)
                committed_at = time.monotonic()
    finally:
        _commit(pending, store, engine, run_id)
    if len(answered) < len(requests):
        raise UserError(
            f"the engine answered {len(answered)} of {len(requests)} requests and stopped without an error",
            where=engine.provenance.engine,
            remedy="run again: what was answered is stored; if it repeats, look at the engine's log",
        )
    return failed


def _commit(pending: list[tuple[Request, Response]], store: Store, engine: Engine, run_id: str) -> None:
    if pending:
        store.commit(pending, engine.provenance, run_id)
        pending.clear()


def _requested(requests: list[Request], index: int, answered: set[int], engine: Engine) -> Request:
    if not 0 <= index < len(requests) or index in answered:
        raise UserError(
            f"the engine answered request number {index}, which was not asked or is answered already",
            where=engine.provenance.engine,
            remedy="this is a fault of the engine's adapter; nothing wrong was stored",
        )
    answered.add(index)
    return requests[index]


def _checked(request: Request, response: Response, engine: Engine) -> Response:
    """The response as it can be stored: without a stop string inside, as valid Unicode."""
    if any(stop in response.text for stop in request.group.setup.stop):
        raise UserError(
            f"the reply to request {request.key} contains a stop string and was not cut there",
            where=engine.provenance.engine,
            remedy="check that the engine honours `stop` and does not include the stop string in its output",
        )
    try:
        response.text.encode("utf-8")
    except UnicodeEncodeError:  # a byte-level token cut in two, sent as half a surrogate pair
        return replace(
            response, text=response.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    return response


def _place(request: Request) -> _Place:
    return (request.group.key, request.tail, request.draw)


def _answer(request: Request, store: Store, failed: dict[_Place, Response]) -> Response:
    """From the store wherever it has an answer: another writer may have been first, and the first wins."""
    return store.get(request) or failed[_place(request)]
