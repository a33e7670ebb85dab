"""A study, questions and an engine without a model, for tests of growing trees.

The engine's answers are hashes of the request's key, so they are the same in every process and order. They
contain everything a real model does: blank lines, cut and repeated steps, refusals, unreadable scores.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from verdict_assets.benchmarks.load import Question
from verdict_assets.config.params import Consensus, Params, Statistics
from verdict_assets.config.studies import BaseSpec, DecodingSpec, GenerationSpec, JudgeSpec, StudySpec
from verdict_assets.inference.engines.protocol import EngineLost
from verdict_assets.inference.request import Finish, Provenance, Request, Response, State, state_of
from verdict_assets.inference.store import Store
from verdict_assets.inference.weights import WeightsIdentity
from verdict_assets.rollout.extract import Extract, extract
from verdict_assets.rollout.partition import Partition, make_partition

BENCHMARK = "toy"
STRATEGIES = (
    "base", "verdict", "mean", "max", "min", "majority", "variance", "no_rejection", "no_selection",
    "raw_average", "raw_average_rescaled", "weighted_mean", "visual_only", "logical_only",
    "contextual_only", "permuted",
)  # fmt: skip
GREEDY = DecodingSpec("greedy", 0.0, 1.0, 8)


def toy_params(**changes: int) -> Params:
    params = Params(
        consensus=Consensus({"visual": 1.5, "logical": 1.0, "contextual": 0.8}, 0.6, 0.1),
        variance_limit=0.068,
        raw_average_epsilon_rescaled=0.244,
        missing="last",
        candidates=3,
        max_steps=12,
        max_blank=2,
        repeat_limit=3,
        statistics=Statistics(0.95, 200, 0, 0.8),
    )
    return replace(params, **changes)  # type: ignore[arg-type]


def toy_study(
    strategies: Sequence[str] = STRATEGIES, decoding: Sequence[DecodingSpec] = (GREEDY,)
) -> StudySpec:
    return StudySpec(
        name="study",
        title="Study",
        dtype="float32",
        image_recipe="toy-1",
        base=BaseSpec("toy", "scenes/base.txt"),
        judges=tuple(
            JudgeSpec(name, "toy", f"scenes/{name}.txt") for name in ("visual", "logical", "contextual")
        ),
        generation=GenerationSpec(0.8, 0.6, 40, 0),
        judge_decoding=tuple(decoding),
        benchmarks={BENCHMARK: None},
        strategies=tuple(strategies),
    )


def toy_question(number: int) -> Question:
    return Question(
        benchmark=BENCHMARK,
        question_id=f"q{number:03d}",
        type="relation",
        question=f"where is object {number} ?",
        options=("left", "right", "above", "below"),
        gold="ABCD"[number % 4],
        image_sha256=(hashlib.sha256(str(number).encode()).hexdigest(),),
    )


def toy_partition(count: int, study: StudySpec | None = None, params: Params | None = None) -> Partition:
    return make_partition(
        params or toy_params(),
        study or toy_study(),
        BENCHMARK,
        tuple(toy_question(number) for number in range(count)),
        {"toy": WeightsIdentity("r" * 64, "t" * 64, "c" * 64)},
    )


class ToyEngine:
    """Answers by hash.

    salt: another model. seconds: taken for every answer. shuffle: seed of the order in which answers come.
    lost_after: answers before the engine is gone. errors: share of requests that fail without a definite
    answer.
    """

    def __init__(
        self,
        salt: str = "",
        seconds: float = 0.0,
        shuffle: int | None = None,
        lost_after: int | None = None,
        errors: float = 0.0,
    ) -> None:
        self.provenance = Provenance("toy", "1", "cpu", "float32", "single")
        self.asked: list[Request] = []
        self._salt = salt
        self._seconds = seconds
        self._shuffle = shuffle
        self._left = lost_after
        self._errors = errors

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Response]]:
        order = list(range(len(requests)))
        if self._shuffle is not None:
            random.Random(self._shuffle).shuffle(order)
        for index in order:
            if self._left is not None:
                if self._left == 0:
                    raise EngineLost("the toy broke", where="toy", remedy="mend it")
                self._left -= 1
            if self._seconds:
                time.sleep(self._seconds)
            self.asked.append(requests[index])
            yield index, self.answer(requests[index])

    def close(self) -> None:
        pass

    def answer(self, request: Request) -> Response:
        draw = _Draw(self._salt + request.key)
        if self._errors and draw.share() < self._errors:
            return Response("", Finish.ERROR, State.ERROR, 0, 0, error="the toy hiccuped")
        text, finish = _reply(draw) if request.group.cue is not None else _step(draw, request)
        if finish is None:
            return Response("", Finish.ERROR, State.REFUSED, 0, 0, error="too long for a toy")
        return Response(text, finish, state_of(text, finish), 10, 5)


class NoEngine:
    """An engine that may not be asked."""

    provenance = Provenance("toy", "1", "cpu", "float32", "single")

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Response]]:
        raise AssertionError(f"{len(requests)} requests were asked, the first is {requests[0]}")
        yield

    def close(self) -> None:
        pass


class _Draw:
    def __init__(self, text: str) -> None:
        self._random = random.Random(hashlib.sha256(text.encode()).digest())

    def share(self) -> float:
        return self._random.random()

    def pick(self, items: Sequence[str]) -> str:
        return items[int(self.share() * len(items))]


def _step(draw: _Draw, request: Request) -> tuple[str, Finish | None]:
    done = (request.group.assistant or "").count("\n")
    chance = draw.share()
    if chance < 0.04:
        return draw.pick(["", "  "]), Finish.NEWLINE
    if chance < 0.05:
        return "", Finish.EOS
    if chance < 0.06:
        return "", None
    if chance < 0.09:
        return "the object is cut o", Finish.LENGTH
    if chance < 0.20:
        return "again .", Finish.NEWLINE  # often enough for loops
    if done >= 2 and chance < 0.50:
        return f"so the answer is {draw.pick('ABCD')} .", Finish.EOS
    return (
        f"the object {draw.pick(['stands', 'lies', 'hangs'])} {draw.pick(['left', 'right'])} .",
        Finish.NEWLINE,
    )


def _reply(draw: _Draw) -> tuple[str, Finish]:
    chance = draw.share()
    if chance < 0.02:
        return draw.pick(["maybe", "1.7", ""]), Finish.EOS
    if chance < 0.03:
        return "0.", Finish.LENGTH
    return f"{int(draw.share() * 11) / 10:.1f}", Finish.EOS


def open_store(folder: Path) -> Store:
    return Store.open(frozen=[], open_layer=folder)


def tables(partition: Partition, folder: Path) -> Extract:
    return extract(partition, open_store(folder))


def assert_same(one: Extract, other: Extract) -> None:
    assert one.open == other.open
    assert one.costs == other.costs
    for name in ("candidates", "raw_scores", "answers"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
