"""An OpenAI-compatible server in a thread that misbehaves on command.

A script is a function from the number of the try (from 0, per user text) and the request's JSON to what is
done. By default it answers with a text made of the request.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Body = dict[str, Any]
Deed = Callable[["Handler", Body], None]
Script = Callable[[int, Body], Deed | None]


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    server: "FakeServer"

    def do_GET(self) -> None:
        if self.path == "/version" and self.server.version is not None:
            self.send_json(200, {"version": self.server.version})
        else:
            self.send_json(404, {"error": "no such page"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.server.dead:
            self.close_connection = True
            return
        text = user_text(body)
        with self.server.lock:
            number = self.server.tries[text]
            self.server.tries[text] += 1
            self.server.bodies.append(body)
            self.server.busy += 1
            self.server.busiest = max(self.server.busiest, self.server.busy)
        try:
            deed = None if text == "ready ?" else self.server.script(number, body)
            if deed is None:
                self.send_json(200, reply(body))
            else:
                deed(self, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with self.server.lock:
                self.server.busy -= 1

    def send_json(self, status: int, content: object, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence."""


class FakeServer(ThreadingHTTPServer):
    """Use it in a `with`; `url` is what a client is given."""

    daemon_threads = True

    def __init__(
        self, script: Script = lambda number, body: None, version: str | None = "0.0-fake", port: int = 0
    ) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.script, self.version = script, version
        self.lock = threading.Lock()
        self.tries: Counter[str] = Counter()
        self.bodies: list[Body] = []
        self.busy = self.busiest = 0
        self.dead = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> "FakeServer":
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dead = True  # threads of connections that are kept alive would go on answering
        self.shutdown()
        self.server_close()


def user_text(body: Body) -> str:
    """The text part of the user message."""
    (user,) = [m for m in body["messages"] if m["role"] == "user"]
    if isinstance(user["content"], str):
        return str(user["content"])
    (text,) = [part["text"] for part in user["content"] if part["type"] == "text"]
    return str(text)


def reply(body: Body, **changes: object) -> Body:
    """A well-formed reply; `changes` replace fields of its choice."""
    text = f"seen {user_text(body)}"
    tokens = [{"token": word, "logprob": -0.5} for word in text.split(" ")]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "logprobs": {"content": tokens} if body["logprobs"] else None,
        "finish_reason": "stop",
        "stop_reason": None,
        **changes,
    }
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}


def status(code: int, headers: dict[str, str] | None = None) -> Deed:
    """Answer with an error status."""
    return lambda handler, body: handler.send_json(code, {"error": {"message": f"code {code}"}}, headers)


def hang(seconds: float) -> Deed:
    """Say nothing for a while, then close."""

    def deed(handler: Handler, body: Body) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return deed


def drip(seconds: float) -> Deed:
    """Send the reply a byte at a time, so that no single read ever waits long."""

    def deed(handler: Handler, body: Body) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "100000")
        handler.end_headers()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)
        handler.close_connection = True

    return deed


def cut(handler: Handler, body: Body) -> None:
    """Promise the whole reply, send half of it, close."""
    data = json.dumps(reply(body)).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2])
    handler.close_connection = True


def slam(handler: Handler, body: Body) -> None:
    """Close without a word."""
    handler.close_connection = True


def say(content: object) -> Deed:
    """Answer 200 with this JSON."""
    return lambda handler, body: handler.send_json(200, content)


def say_choice(**changes: object) -> Deed:
    """Answer well, with other fields of the choice."""
    return lambda handler, body: handler.send_json(200, reply(body, **changes))
