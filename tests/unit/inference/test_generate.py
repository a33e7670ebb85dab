from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from asking import BASE, PROVENANCE, ScriptedEngine, answer, by_seed, failure, judged, step, stored

from verdict_assets.errors import UserError
from verdict_assets.inference import generate as module
from verdict_assets.inference.engines.protocol import EngineLost
from verdict_assets.inference.generate import generate
from verdict_assets.inference.request import Finish, Group, Request, Response, State
from verdict_assets.inference.store import Store


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    requests = [step(0, draw=k) for k in range(3)] + [judged(0)]
    first = ScriptedEngine(backwards=True)
    got = generate(requests, Store.open(open_layer=tmp_path), first, run_id="a")
    second = ScriptedEngine()
    again = generate(requests, Store.open(open_layer=tmp_path), second, run_id="b")
    assert [response.text for response in got] == [by_seed(request).text for request in requests]
    assert again == got
    assert len(first.asked) == 4
    assert second.asked == []


def test_equal_requests_are_asked_once(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    got = generate([judged(0), judged(1), judged(0)], Store.open(open_layer=tmp_path), engine, run_id="a")
    assert len(engine.asked) == 2
    assert got[0] == got[2]


def test_same_text_and_another_picture_are_two_requests(tmp_path: Path) -> None:
    requests = [Request(Group(BASE, (image * 32,), "how many ?\n"), draw=0) for image in ("ab", "cd")]
    engine = ScriptedEngine()
    generate(requests, Store.open(open_layer=tmp_path), engine, run_id="a")
    assert len(engine.asked) == 2


@pytest.mark.parametrize("field", ["model", "revision", "dtype", "tokenizer", "template", "image_recipe"])
def test_another_model_is_asked_anew(tmp_path: Path, field: str) -> None:
    stored(tmp_path, (step(), answer()))
    engine = ScriptedEngine()
    other = step(setup=replace(BASE, **{field: "other"}))
    generate([other], Store.open(open_layer=tmp_path), engine, run_id="a")
    assert engine.asked == [other]


def test_errors_are_returned_and_asked_again(tmp_path: Path) -> None:
    bad = step(draw=1)
    engine = ScriptedEngine(lambda request: failure() if request == bad else by_seed(request))
    store = Store.open(open_layer=tmp_path)
    got = generate([step(draw=0), bad], store, engine, run_id="a")
    assert [response.state for response in got] == [State.OK, State.ERROR]
    assert store.get(bad) is None
    generate([step(draw=0), bad], store, engine, run_id="a")
    assert engine.asked.count(bad) == 2


def test_a_refusal_is_an_answer(tmp_path: Path) -> None:
    refusal = Response("", Finish.ERROR, State.REFUSED, 100, 0, error="prompt too long")
    engine = ScriptedEngine(lambda request: refusal)
    store = Store.open(open_layer=tmp_path)
    generate([step()], store, engine, run_id="a")
    assert Store.open(open_layer=tmp_path).get(step()) == refusal


def test_what_came_before_the_engine_was_lost_is_kept(tmp_path: Path) -> None:
    def reply(request: Request) -> Response:
        if request.draw == 2:
            raise EngineLost("the server is gone")
        return by_seed(request)

    with pytest.raises(EngineLost):
        generate(
            [step(draw=k) for k in range(4)],
            Store.open(open_layer=tmp_path),
            ScriptedEngine(reply),
            run_id="a",
        )
    assert len(Store.open(open_layer=tmp_path)) == 2


def test_a_long_call_commits_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWERS_PER_COMMIT", 2)
    seen: list[int] = []

    def reply(request: Request) -> Response:
        seen.append(len(Store.open(open_layer=tmp_path)))
        return by_seed(request)

    progress: list[tuple[int, int]] = []
    generate(
        [step(draw=k) for k in range(5)],
        Store.open(open_layer=tmp_path),
        ScriptedEngine(reply),
        run_id="a",
        on_progress=lambda done, asked: progress.append((done, asked)),
    )
    assert seen == [0, 0, 2, 2, 4]
    assert progress == [(k, 5) for k in range(1, 6)]
    assert len(list(tmp_path.glob("shard-*"))) == 3


def test_a_store_that_cannot_keep_answers_fails(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="without an open layer"):
        generate([step()], Store.open(), ScriptedEngine(), run_id="a")


def test_where_another_writer_was_first_its_answer_is_returned(tmp_path: Path) -> None:
    def reply(request: Request) -> Response:
        stored(tmp_path, (request, answer("first")))
        return answer("second")

    store = Store.open(open_layer=tmp_path)
    got = generate([step()], store, ScriptedEngine(reply), run_id="a")
    assert got[0].text == "first"
    assert [divergence.later.text for divergence in store.divergences] == ["second"]


class Broken(ScriptedEngine):
    def __init__(self, answers: list[tuple[int, Response]]) -> None:
        super().__init__()
        self._answers = answers

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Response]]:
        yield from self._answers


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([(0, answer())], "answered 1 of 2"),
        ([(0, answer()), (0, answer())], "number 0"),
        ([(0, answer()), (2, answer())], "number 2"),
        ([(0, answer()), (1, answer("a\nb"))], "stop string"),
    ],
)
def test_an_engine_that_breaks_its_protocol_is_refused(
    tmp_path: Path, answers: list[tuple[int, Response]], message: str
) -> None:
    store = Store.open(open_layer=tmp_path)
    with pytest.raises(UserError, match=message):
        generate([step(draw=0), step(draw=1)], store, Broken(answers), run_id="a")
    assert store.get(step(draw=0)) is not None


def test_half_a_surrogate_pair_is_stored_as_unicode(tmp_path: Path) -> None:
    engine = ScriptedEngine(lambda request: answer("a \ud83d b"))
    store = Store.open(open_layer=tmp_path)
    assert generate([step()], store, engine, run_id="a")[0].text == "a \ufffd b"
    assert Store.open(open_layer=tmp_path).get(step()) == store.get(step())


def test_three_draws_with_one_text_are_three_answers(tmp_path: Path) -> None:
    engine = ScriptedEngine(lambda request: answer("the same"))
    store = Store.open(open_layer=tmp_path)
    generate([step(draw=k) for k in range(3)], store, engine, run_id="a")
    assert len(store) == 3
    assert store.provenance_of(step(draw=2)) == PROVENANCE
    assert store.run_of(step(draw=2)) == "a"
