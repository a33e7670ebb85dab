"""The client against a server that misbehaves on command."""

import base64
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from fake_server import FakeServer, Script, cut, drip, hang, say, say_choice, slam, status

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.openai_client import OpenAIEngine, Patience
from verdict_assets.inference.engines.protocol import EngineLost
from verdict_assets.inference.images import VerifiedImages
from verdict_assets.inference.request import Finish, Group, Request, Response, Setup, State, seed

PNG = base64.b64decode("iVBORw0KGgo=")
SHA = "4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6"
IMAGES = VerifiedImages.of({SHA: PNG})
QUICK = Patience(deadline=5.0, tries=4, pause=0.01)
SETUP = Setup(
    model="m",
    revision="r",
    tokenizer="t",
    template="c",
    dtype="float32",
    image_recipe="native-1",
    temperature=0.8,
    top_p=0.6,
    max_tokens=40,
    stop=("\n",),
    logprobs=True,
)


def asked(count: int = 1, setup: Setup = SETUP) -> list[Request]:
    return [Request(Group(setup, (SHA,), f"question {i} ?"), None, 0) for i in range(count)]


def run(
    server: FakeServer, requests: Sequence[Request], patience: Patience = QUICK, **options: Any
) -> list[Response]:
    engine = OpenAIEngine(server.url, IMAGES, patience=patience, **options)
    try:
        found = dict(engine.run(requests))
    finally:
        engine.close()
    assert sorted(found) == list(range(len(requests)))
    return [found[index] for index in range(len(requests))]


def after(failures: int, deed: Any) -> Script:
    """Misbehave on the first tries of every request."""
    return lambda number, body: deed if number < failures else None


def test_every_answer_belongs_to_its_request_and_nothing_is_sent_twice() -> None:
    with FakeServer() as server:
        found = run(server, asked(150), concurrency=8)
        assert [r.text for r in found] == [f"seen question {i} ?" for i in range(150)]
        assert server.busiest <= 8
        assert set(server.tries.values()) == {1}
    assert found[0] == Response("seen question 0 ?", Finish.EOS, State.OK, 7, 3, 5, -0.5 * 4)


def test_every_field_is_sent() -> None:
    request = Request(
        Group(SETUP, (SHA, SHA), "why ?", cue="\nscore :", assistant="a step\n", system="be fair"), " x", 3
    )
    with FakeServer() as server:
        run(server, [request], served_names={"m": "served"})
        body = server.bodies[-1]
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    assert body == {
        "model": "served",
        "messages": [
            {"role": "system", "content": "be fair"},
            {"role": "user", "content": [image, image, {"type": "text", "text": "why ? x\nscore :"}]},
            {"role": "assistant", "content": "a step\n"},
        ],
        "n": 1,
        "temperature": 0.8,
        "top_p": 0.6,
        "top_k": -1,
        "min_p": 0.0,
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "max_tokens": 40,
        "logprobs": True,
        "top_logprobs": 0,
        "stop": ["\n"],
        "seed": seed(request),
        "continue_final_message": True,
        "add_generation_prompt": False,
        "stream": False,
    }


def test_a_greedy_request_has_no_seed_and_no_temperature() -> None:
    with FakeServer() as server:
        run(server, [Request(Group(SETUP, (), "why ?"))])
        body = server.bodies[-1]
    assert body["temperature"] == 0.0
    assert "seed" not in body
    assert (body["add_generation_prompt"], body["continue_final_message"]) == (True, False)


@pytest.mark.parametrize(
    "deed", [status(500), status(429), status(408), status(409), cut, slam, say([]), say({})]
)
def test_what_says_nothing_about_the_request_is_tried_again(deed: Any) -> None:
    with FakeServer(after(2, deed)) as server:
        (found,) = run(server, asked())
        assert found.state is State.OK
        assert server.tries["question 0 ?"] == 3


@pytest.mark.parametrize("deed", [status(500), status(503), cut, slam, say({"choices": []})])
def test_tries_are_counted_and_end_in_an_error_that_is_no_answer(deed: Any) -> None:
    with FakeServer(after(99, deed)) as server:
        (found,) = run(server, asked())
        assert server.tries["question 0 ?"] == QUICK.tries
    assert (found.state, found.finish, found.text) == (State.ERROR, Finish.ERROR, "")
    assert found.error


@pytest.mark.parametrize("code", [400, 413, 422])
def test_a_definite_refusal_is_an_answer_and_is_asked_once(code: int) -> None:
    with FakeServer(lambda number, body: status(code) if "question 1" in str(body) else None) as server:
        found = run(server, asked(3))
        assert set(server.tries.values()) == {1}
    assert [r.state for r in found] == [State.OK, State.REFUSED, State.OK]
    assert f"code {code}" in (found[1].error or "")


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_wrong_address_or_key_stops_the_run(code: int) -> None:
    with FakeServer(after(99, status(code))) as server, pytest.raises(UserError, match=f"HTTP {code}"):
        run(server, asked())


def test_a_server_that_refuses_the_fields_is_found_out_before_a_question_is_asked() -> None:
    with FakeServer() as server:
        server.script = lambda number, body: None
        handler = server.RequestHandlerClass
        plain = handler.do_POST  # type: ignore[attr-defined]
        try:
            handler.do_POST = lambda self: (  # type: ignore[attr-defined]
                self.rfile.read(int(self.headers["content-length"])),
                self.send_json(400, {"error": "unknown field top_k"}),
            )
            with pytest.raises(UserError, match="top_k"):
                run(server, asked())
        finally:
            handler.do_POST = plain  # type: ignore[attr-defined]


@pytest.mark.parametrize("deed", [hang(30.0), drip(30.0)])
def test_the_deadline_holds_for_all_tries_together(deed: Any) -> None:
    with FakeServer(after(99, deed)) as server:
        began = time.monotonic()
        (found,) = run(server, asked(), replace(QUICK, deadline=0.4))
        assert time.monotonic() - began < 15.0
        assert server.tries["question 0 ?"] == 1
    assert found.state is State.ERROR


def test_retry_after_is_obeyed() -> None:
    with FakeServer(after(1, status(503, {"retry-after": "0.5"}))) as server:
        began = time.monotonic()
        (found,) = run(server, asked())
        assert time.monotonic() - began > 0.5
    assert found.state is State.OK


def test_a_retry_after_beyond_the_deadline_is_not_waited_for() -> None:
    with FakeServer(after(1, status(503, {"retry-after": "3600"}))) as server:
        began = time.monotonic()
        (found,) = run(server, asked())
        assert time.monotonic() - began < 15.0
    assert found.state is State.ERROR


def test_nobody_there() -> None:
    with FakeServer() as server:
        url = server.url
    with pytest.raises(EngineLost, match="no server answers"):
        OpenAIEngine(url, IMAGES)


MANY = 500
"""More requests than are answered between the first answer and the end of the server, on any machine."""


def test_a_server_that_dies_is_lost_and_earlier_answers_were_given() -> None:
    found = []
    with FakeServer() as server:
        engine = OpenAIEngine(server.url, IMAGES, patience=QUICK, concurrency=2)
        answers = engine.run(asked(MANY))
        found.append(next(answers))
    with pytest.raises(EngineLost):
        found.extend(answers)
    engine.close()
    assert 1 <= len(found) < MANY


def test_many_failures_in_a_row_are_a_lost_server() -> None:
    patience = replace(QUICK, tries=1, losses=5)
    with FakeServer(after(99, status(500))) as server, pytest.raises(EngineLost, match="code 500"):
        run(server, asked(20), patience)


@pytest.mark.parametrize(
    ("choice", "finish", "state"),
    [
        ({"finish_reason": "stop", "stop_reason": "\n"}, Finish.NEWLINE, State.OK),
        ({"finish_reason": "stop", "stop_reason": None}, Finish.EOS, State.OK),
        ({"finish_reason": "stop", "stop_reason": 151643}, Finish.EOS, State.OK),
        ({"finish_reason": "length", "stop_reason": None}, Finish.LENGTH, State.TRUNCATED),
        ({"message": {"content": None}, "stop_reason": "\n"}, Finish.NEWLINE, State.EMPTY),
        ({"message": {"content": " "}}, Finish.EOS, State.EMPTY),
        ({"finish_reason": "content_filter"}, Finish.ERROR, State.REFUSED),
        ({"finish_reason": "abort"}, Finish.ERROR, State.ERROR),
        ({"logprobs": None}, Finish.ERROR, State.ERROR),
    ],
)
def test_endings(choice: dict[str, object], finish: Finish, state: State) -> None:
    with FakeServer(after(99, say_choice(**choice))) as server:
        (found,) = run(server, asked())
    assert (found.finish, found.state) == (finish, state)


def test_without_extensions_unknown_fields_stay_away_and_the_text_is_cut_here() -> None:
    tokens = [{"token": t, "logprob": -1.0} for t in ("one", " step", ".\n", "two", "\n")]
    written = {"message": {"content": "one step.\ntwo\n"}, "logprobs": {"content": tokens}}
    with FakeServer(after(99, say_choice(**written, finish_reason="length")), version=None) as server:
        (found,) = run(server, asked(), extensions=False)
        body = server.bodies[-1]
    assert not set(body) & {"top_k", "min_p", "repetition_penalty", "stop", "continue_final_message"}
    assert found == Response("one step.", Finish.NEWLINE, State.OK, 7, 3, 5, -3.0)


@pytest.mark.parametrize("finish", [("stop", Finish.EOS), ("length", Finish.LENGTH)])
def test_without_extensions_and_without_a_stop_string(finish: tuple[str, Finish]) -> None:
    with FakeServer(after(99, say_choice(finish_reason=finish[0])), version=None) as server:
        (found,) = run(server, asked(), extensions=False)
    assert found.finish is finish[1]


def test_without_extensions_no_prefix_is_continued() -> None:
    request = Request(Group(SETUP, (), "why ?", assistant="one\n"), None, 0)
    with FakeServer() as server, pytest.raises(UserError, match="prefix"):
        run(server, [request], extensions=False)


def test_a_missing_picture_stops_the_run() -> None:
    with FakeServer() as server, pytest.raises(UserError, match="is not there"):
        run(server, [Request(Group(SETUP, ("0" * 64,), "why ?"), None, 0)])


def test_the_provenance_names_the_program() -> None:
    with FakeServer() as server:
        assert OpenAIEngine(server.url, IMAGES).provenance.version == "vllm 0.0-fake"
    with FakeServer(version=None) as server:
        assert "127.0.0.1" in OpenAIEngine(server.url, IMAGES).provenance.version
