"""Starting and stopping `vllm serve` with an interpreter of its own, and knowing that it really answers.

Belongs here: one process of one server on this machine. Does not belong here: asking it (`openai_client.py`).
vLLM is not imported: it lives in another environment, whose interpreter is given.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import httpx

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.protocol import EngineLost

_TAIL = 2000
"""Characters of the log that an error shows."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How the server runs. None of it may change an answer but through the order of sums."""

    dtype: str = "float32"
    max_model_len: int = 1024
    block_size: int = 32
    """Tokens a block of the prefix cache; on a CPU 32 is the smallest that vLLM takes."""
    max_sequences: int = 64
    cpu_cache_gib: int = 1
    """Memory for keys and values on a CPU; unset, vLLM would take nine tenths of all memory."""
    eager: bool = True
    """Without compilation: it takes longer than a small model needs to answer; False on a GPU."""
    start_within: float = 300.0
    """Seconds until the first generation must have come back."""
    extra: Sequence[str] = field(default_factory=tuple)
    """More arguments of `vllm serve`."""


class VllmServer:
    """A running `vllm serve`. Use it in a `with`, or call `start` and `stop`."""

    def __init__(
        self,
        python: Path,
        folder: Path,
        name: str,
        log: Path,
        options: ServerOptions | None = None,
        port: int | None = None,
    ) -> None:
        """Serve the model in `folder` under `name` with the vLLM of the interpreter `python`.

        log: file that takes all output, appended. port: None takes a free one.
        """
        self._python = python
        self._folder = folder
        self._name = name
        self._log = log
        self._options = options or ServerOptions()
        self._port = _free_port() if port is None else port
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Address for a client, with the version path."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start and wait until a generation has come back.

        Raises EngineLost, with the end of the log, when the process ends or no generation comes back in time,
        and UserError when the port is taken: whoever has it might be mistaken for this server.
        """
        if not _is_free(self._port):
            raise UserError(
                "the port is taken by another program",
                where=f"port {self._port}",
                remedy="stop that program, or choose another port",
            )
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment(),
                start_new_session=True,  # a group of its own: its workers are stopped with it
            )
        try:
            self._await_generation()
        except BaseException:  # an interrupt as well: a half-started server must not stay behind
            self.stop()
            raise

    def answers(self, timeout: float) -> bool:
        """Whether a generation of one token comes back; a health page answers also when the engine hangs."""
        body = {
            "model": self._name,
            "messages": [{"role": "user", "content": "ready ?"}],
            "max_tokens": 1,
            "temperature": 0.0,
            "logprobs": True,
        }
        try:
            reply = httpx.post(
                f"{self.url}/chat/completions",
                json=body,
                timeout=httpx.Timeout(timeout, connect=5.0),
                trust_env=False,
            )
        except httpx.TransportError:
            return False
        return reply.status_code == 200 and bool(reply.json().get("choices"))

    def wait(self) -> None:
        """Return when the server has ended."""
        if self._process is not None:
            self._process.wait()

    def stop(self, within: float = 20.0) -> None:
        """Ask the server to end, and end its whole process group if it has not after `within` seconds."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(within)
        with contextlib.suppress(ProcessLookupError):  # workers that outlived it, or the server itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def __enter__(self) -> VllmServer:
        """Start."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self.stop()

    def _await_generation(self) -> None:
        until = time.monotonic() + self._options.start_within
        while not self.answers(timeout=max(1.0, until - time.monotonic())):
            ended = None if self._process is None else self._process.poll()
            if ended is not None or time.monotonic() > until:
                self._give_up(ended)
            time.sleep(0.5)

    def _command(self) -> list[str]:
        options = self._options
        return [
            str(self._python), "-m", "vllm.entrypoints.cli.main", "serve", str(self._folder),
            "--served-model-name", self._name,
            "--host", "127.0.0.1",
            "--port", str(self._port),
            "--generation-config", "vllm",  # else the checkpoint's file fills sampling fields
            "--dtype", options.dtype,
            "--max-model-len", str(options.max_model_len),
            "--max-num-seqs", str(options.max_sequences),
            "--block-size", str(options.block_size),
            "--enable-prefix-caching",
            "--no-enable-chunked-prefill",  # on a CPU, vLLM dies of a seeded request whose prompt is split
            "--enable-prompt-tokens-details",
            "--chat-template-content-format", "openai",
            *(["--enforce-eager"] if options.eager else []),
            *options.extra,
        ]  # fmt: skip

    def _environment(self) -> Mapping[str, str]:
        return {
            **os.environ,
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "DO_NOT_TRACK": "1",
            "VLLM_CPU_KVCACHE_SPACE": str(self._options.cpu_cache_gib),
            "VLLM_CPU_OMP_THREADS_BIND": "nobind",
            **({"TORCHDYNAMO_DISABLE": "1"} if self._options.eager else {}),  # the sampler compiles by itself
        }

    def _give_up(self, ended: int | None) -> None:
        tail = self._log.read_bytes()[-_TAIL:].decode("utf-8", "replace")
        limit = self._options.start_within
        what = f"no generation within {limit:.0f} s" if ended is None else f"it ended with code {ended}"
        raise EngineLost(
            f"vllm serve did not start: {what}. Its log ends:\n{tail}",
            where=self._log,
            remedy="read the log; look at free memory, the port, and whether this interpreter has vLLM",
        )


def require_vllm(python: Path) -> None:
    """Raises UserError when the interpreter `python` has no vLLM."""
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('vllm') is None)"
    if not python.exists() or subprocess.run([python, "-c", code], check=False).returncode:
        raise UserError(
            "this interpreter has no vLLM",
            where=python,
            remedy="make the environment for models with `make test-models`, or name another interpreter",
        )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
