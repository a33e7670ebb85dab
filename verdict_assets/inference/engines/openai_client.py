"""The engine that asks a server with OpenAI's chat-completions interface: `vllm serve`, Ollama, a hosted API.

Here: connections, bounded concurrency, deadlines, and the only layer that tries again. Not here: what is sent
and what a reply means (`chat_completions.py`), and starting a server (`vllm_server.py`).

What may be tried again: a lost connection, a time-out, 408, 409, 425, 429, 5xx and a malformed reply say
nothing about the request, so it is sent again, a few times, with growing pauses. 400, 413 and 422 are
definite: the request is refused, and that is its answer. All else (401, 403, 404 ...) means that the address,
the model's name or the key is wrong: nothing is learned about any request, and the run stops.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.chat_completions import BadReplyError, request_body, response_of
from verdict_assets.inference.engines.protocol import EngineLost
from verdict_assets.inference.images import ImageSource
from verdict_assets.inference.request import Finish, Group, Provenance, Request, Response, Setup, State

_AGAIN = frozenset({408, 409, 425, 429})
_REFUSED = frozenset({400, 413, 422})
_PAUSE_LIMIT = 8.0
_UNTOLD = "not told"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often to try."""

    deadline: float = 300.0
    """Seconds for one request, all tries and pauses together."""
    tries: int = 5
    pause: float = 0.5
    """Seconds before the second try; doubled each time up to 8, or what the server's Retry-After says."""
    losses: int = 16
    """Requests in a row without an answer after which the server counts as lost."""


class OpenAIEngine:
    """Answers requests through a server's chat-completions interface. An `Engine`."""

    def __init__(
        self,
        url: str,
        images: ImageSource,
        *,
        concurrency: int = 64,
        extensions: bool = True,
        served_names: Mapping[str, str] | None = None,
        api_key: str | None = None,
        device: str = _UNTOLD,
        patience: Patience | None = None,
    ) -> None:
        """Connect to `url`, which includes the version path ("http://127.0.0.1:8000/v1").

        concurrency: requests in flight. extensions: whether the server knows vLLM's fields; without them a
        prefix cannot be continued. served_names: the server's name of a model where it is not the study's.
        device: for the provenance; a server does not tell it. Raises EngineLost when no server answers.
        """
        self._url = url.rstrip("/")
        self._images = images
        self._concurrency = concurrency
        self._extensions = extensions
        self._names = dict(served_names or {})
        self._patience = patience or Patience()
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            trust_env=not _is_local(url),  # a proxy cannot reach this machine's own ports
        )
        self._lock = threading.Lock()
        self._failures = 0
        self._checked: set[str] = set()
        version = self._version()
        self._provenance = Provenance("openai", version, device, dtype=_UNTOLD, batch="server")

    @property
    def provenance(self) -> Provenance:
        """The server's program and version, as far as it tells them."""
        return self._provenance

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Response]]:
        """Yield (index, answer) as answers come.

        Raises EngineLost when the server is gone or fails throughout, and UserError when it refuses a plain
        test request, so that a wrong dialect is not taken for refusals of the questions.
        """
        for setup in {r.group.setup.key: r.group.setup for r in requests}.values():
            self._check(setup)
        pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="ask")
        waiting: dict[Future[Response], int] = {}
        upcoming = iter(enumerate(requests))
        try:
            while True:
                for index, request in upcoming:
                    waiting[pool.submit(self._ask, request)] = index
                    if len(waiting) >= 2 * self._concurrency:  # a thread that ends finds the next one ready
                        break
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _check(self, setup: Setup) -> None:
        """Once per setup: does the server write a token when it is asked with these very fields?"""
        if setup.key in self._checked:
            return
        probe = Request(
            Group(replace(setup, max_tokens=1), (), "ready ?"), draw=None if setup.temperature == 0 else 0
        )
        found = self._ask(probe)
        if found.finish is Finish.ERROR:
            raise UserError(
                f"the server does not answer a plain test request: {found.error}",
                where=f"{self._url}, model {self._name(setup)!r}",
                remedy="read the server's log; if it complains of unknown fields, ask it without extensions",
            )
        self._checked.add(setup.key)

    def _ask(self, request: Request) -> Response:
        """One request to its end. A failure that is not definite becomes a response with state error."""
        body = request_body(
            request, self._images, self._name(request.group.setup), extensions=self._extensions
        )
        until = time.monotonic() + self._patience.deadline
        fault = _Fault("not sent")
        for attempt in range(self._patience.tries):
            pause = fault.pause if fault.pause is not None else _pause(self._patience.pause, attempt)
            if attempt and time.monotonic() + pause >= until:
                break
            time.sleep(pause if attempt else 0.0)
            found = self._try(body, request.group.setup, until)
            if isinstance(found, Response):
                with self._lock:
                    self._failures = 0
                return found
            fault = found
        return self._failed(fault)

    def _try(self, body: Mapping[str, object], setup: Setup, until: float) -> Response | _Fault:
        try:
            status, headers, content = self._post("chat/completions", body, until)
            if status == 200:
                return response_of(json.loads(content), setup, extensions=self._extensions)
        except (httpx.TransportError, TimeoutError) as error:
            gone = isinstance(error, httpx.ConnectError)
            return _Fault(f"{type(error).__name__}: {error}", gone=gone)
        except (BadReplyError, ValueError) as error:  # ValueError: no JSON, or no UTF-8
            return _Fault(f"malformed reply: {error}")
        said = f"HTTP {status}: {content[:500].decode('utf-8', 'replace')}"
        if status in _REFUSED:
            return Response("", Finish.ERROR, State.REFUSED, 0, 0, error=said)
        if status in _AGAIN or status >= 500:
            return _Fault(said, pause=_retry_after(headers))
        raise UserError(
            f"the server does not serve this request: {said}",
            where=f"{self._url}, model {body['model']!r}",
            remedy="check the address (with /v1), the model's name at the server and the key",
        )

    def _post(self, path: str, body: Mapping[str, object], until: float) -> tuple[int, httpx.Headers, bytes]:
        """Send and read in full. Raises TimeoutError once `until` is past, even if bytes still drip in."""
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        parts = []
        limit = httpx.Timeout(left, connect=min(left, 10.0))
        with self._client.stream("POST", f"{self._url}/{path}", json=body, timeout=limit) as reply:
            for part in reply.iter_bytes():
                parts.append(part)
                if time.monotonic() > until:
                    raise TimeoutError("the deadline passed while the reply was coming in")
            return reply.status_code, reply.headers, b"".join(parts)

    def _failed(self, fault: _Fault) -> Response:
        """Count a request without an answer; many in a row, or nobody to connect to, is a lost server."""
        with self._lock:
            self._failures += 1
            lost = fault.gone or self._failures >= self._patience.losses
        if lost:
            raise EngineLost(
                f"the server does not answer any more; last: {fault.what}",
                where=self._url,
                remedy="read the server's log, restart it and run again: answers that came are kept",
            )
        return Response("", Finish.ERROR, State.ERROR, 0, 0, error=fault.what)

    def _name(self, setup: Setup) -> str:
        return self._names.get(setup.model, setup.model)

    def _version(self) -> str:
        """The server's program and version: vLLM tells it, others are named by their address."""
        root = self._url.removesuffix("/v1")
        try:
            reply = self._client.get(f"{root}/version", timeout=10.0)
            if reply.status_code == 200:
                return f"vllm {reply.json()['version']}"
        except httpx.TransportError as error:
            raise EngineLost(
                f"no server answers: {error}",
                where=self._url,
                remedy="start the server, or check the address",
            ) from error
        except (ValueError, KeyError, TypeError):
            pass  # some other program's answer
        return f"server {urlsplit(self._url).netloc}"


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a try failed: in words, whether nobody was there, and how long the server asks to wait."""

    what: str
    gone: bool = False
    pause: float | None = None


def _pause(first: float, attempt: int) -> float:
    """Seconds before a try: doubled each time, limited, and spread so that requests do not meet again."""
    whole = min(first * 2.0 ** max(attempt - 1, 0), _PAUSE_LIMIT)
    return whole * random.uniform(0.75, 1.0)


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds from a Retry-After header, which holds seconds or a date."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _is_local(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
