"""Requests, answers and an engine without a model, for tests of the store and of generate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from verdict_assets.inference.request import (
    Finish,
    Group,
    Provenance,
    Request,
    Response,
    Setup,
    State,
    seed,
    state_of,
)
from verdict_assets.inference.store import Store

PROVENANCE = Provenance("scripted", "1", "cpu", "float32", "1")
BASE = Setup(
    model="scenes-base",
    revision="r" * 64,
    tokenizer="t" * 64,
    template="c" * 64,
    dtype="float32",
    image_recipe="scenes-native-1",
    temperature=0.8,
    top_p=0.6,
    max_tokens=40,
    stop=("\n",),
)
JUDGE = replace(BASE, temperature=0.0, top_p=1.0, max_tokens=8, stop=())
IMAGE = "ab" * 32


def step(question: int = 0, prefix: str | None = None, draw: int = 0, setup: Setup = BASE) -> Request:
    return Request(Group(setup, (IMAGE,), f"question {question}\n(A) left\n", assistant=prefix), draw=draw)


def judged(question: int = 0, candidate: str = "a step", rubric: str = "visual") -> Request:
    return Request(
        Group(JUDGE, (IMAGE,), f"question {question}\n{rubric}\n", cue="\nscore :"), tail=candidate
    )


def answer(text: str = "the square is left", finish: Finish = Finish.NEWLINE, **fields: object) -> Response:
    return replace(Response(text, finish, state_of(text, finish), 100, len(text.split())), **fields)


def failure() -> Response:
    return Response("", Finish.ERROR, State.ERROR, 100, 0, error="out of memory")


def stored(folder: Path, *answers: tuple[Request, Response], run_id: str = "run-1") -> Path:
    """One shard with these answers in the open layer `folder`."""
    return Store.open(open_layer=folder).commit(answers, PROVENANCE, run_id)


def by_seed(request: Request) -> Response:
    return answer(f"reply {seed(request)}")


class ScriptedEngine:
    """Answers by a function of the request and remembers what it was asked."""

    provenance = PROVENANCE

    def __init__(self, reply: Callable[[Request], Response] = by_seed, backwards: bool = False) -> None:
        self.asked: list[Request] = []
        self._reply = reply
        self._backwards = backwards

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Response]]:
        order = list(enumerate(requests))
        for index, request in reversed(order) if self._backwards else order:
            self.asked.append(request)
            yield index, self._reply(request)

    def close(self) -> None:
        pass
