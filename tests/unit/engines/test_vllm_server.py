"""Starting and stopping a server, with a stand-in for the interpreter that has vLLM."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from fake_server import FakeServer

from verdict_assets.cli.main import main
from verdict_assets.errors import UserError
from verdict_assets.inference.engines.protocol import EngineLost
from verdict_assets.inference.engines.vllm_server import ServerOptions, VllmServer, require_vllm

SUPPORT = Path(__file__).parents[2] / "support"


@pytest.fixture
def python(tmp_path: Path) -> Path:
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{SUPPORT / "fake_vllm.py"}" "$@"\n')
    script.chmod(0o755)
    return script


def made(python: Path, tmp_path: Path, within: float = 60.0) -> VllmServer:
    return VllmServer(python, tmp_path / "model", "m", tmp_path / "log", ServerOptions(start_within=within))


@pytest.mark.parametrize("mode", ["good", "worker"])
def test_it_starts_answers_and_leaves_no_process(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("FAKE_VLLM", mode)
    with made(python, tmp_path) as server:
        assert server.answers(timeout=10.0)
        group = server.pid
        assert group is not None
    assert server.pid is None
    assert not server.answers(timeout=1.0)
    until = time.monotonic() + 10
    while (left := _members(group)) and time.monotonic() < until:
        time.sleep(0.05)
    assert left == []
    server.stop()  # once more does no harm
    log = (tmp_path / "log").read_text()
    assert all(
        word in log
        for word in (
            "--generation-config",
            "--dtype",
            "float32",
            "--enable-prompt-tokens-details",
            "--no-enable-chunked-prefill",
        )
    )


def test_one_that_dies_shows_its_last_words(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VLLM", "dies")
    server = made(python, tmp_path)
    with pytest.raises(EngineLost, match="no such config"):
        server.start()
    assert server.pid is None


def test_one_that_takes_connections_but_does_not_generate_is_not_up(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VLLM", "hangs")
    server = made(python, tmp_path, within=3.0)
    with pytest.raises(EngineLost, match="no generation within 3 s"):
        server.start()
    assert server.pid is None


def test_a_taken_port_is_not_mistaken_for_the_server(python: Path, tmp_path: Path) -> None:
    with FakeServer() as other:
        port = other.server_address[1]
        server = VllmServer(python, tmp_path, "m", tmp_path / "log", port=port)
        with pytest.raises(UserError, match="taken"):
            server.start()


def test_compilation_is_off_unless_asked_for(tmp_path: Path) -> None:
    eager = ServerOptions()
    for options, expected in ((eager, True), (replace(eager, eager=False), False)):
        server = VllmServer(Path("python"), tmp_path, "m", tmp_path / "log", options)
        assert ("--enforce-eager" in server._command()) is expected
        assert ("TORCHDYNAMO_DISABLE" in server._environment()) is expected


def test_an_interpreter_without_vllm_is_named(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VLLM", "good")
    require_vllm(python)
    monkeypatch.setenv("FAKE_VLLM", "absent")
    for interpreter in (python, tmp_path / "nowhere"):
        with pytest.raises(UserError, match="no vLLM"):
            require_vllm(interpreter)


def test_the_verb_names_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "params.yaml").touch()
    (tmp_path / "data" / "weights" / "m").mkdir(parents=True)
    monkeypatch.setenv("VERDICT_ROOT", str(tmp_path))
    assert main(["serve", "other"]) == 2
    assert "use one of: m" in capsys.readouterr().err
    assert main(["serve", "m"]) == 2
    assert "no vLLM" in capsys.readouterr().err


def test_the_verb_ends_when_its_server_does(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "params.yaml").touch()
    (tmp_path / "data" / "weights" / "m").mkdir(parents=True)
    monkeypatch.setenv("VERDICT_ROOT", str(tmp_path))
    monkeypatch.setenv("FAKE_VLLM", "dies")
    assert main(["serve", "m", "--python", str(python), "--port", "1"]) == 2
    assert "no such config" in capsys.readouterr().err


def _members(group: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[2]) == group and fields[0] != "Z" and int(stat.parent.name) != os.getpid():
            found.append(int(stat.parent.name))
    return found
