"""The chat-completions format: a request as the JSON a server gets, its JSON reply as a response.

Belongs here: every field that is sent and the meaning of every field that comes back. Does not belong here:
connections, retries and deadlines (`openai_client.py`). Pure: no network, no clock.

Every sampling field is sent, because a server fills a missing one from the checkpoint's own file. Two
dialects: with the extensions of vLLM, and plain, for servers that reject fields they do not know.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verdict_assets.errors import UserError
from verdict_assets.inference.images import ImageSource
from verdict_assets.inference.request import (
    Finish,
    Request,
    Response,
    Setup,
    State,
    seed,
    state_of,
    user_text,
)

Json = Mapping[str, object]

_MAGIC = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}


class BadReplyError(Exception):
    """A reply that is not what the format promises; the same request may be sent again."""


def request_body(
    request: Request, images: ImageSource, served_name: str, *, extensions: bool
) -> dict[str, object]:
    """The JSON of one request for one completion.

    Raises UserError for what the plain dialect cannot say: continuing a prefix, filters beyond top-p,
    constraints.
    """
    setup = request.group.setup
    body: dict[str, object] = {
        "model": served_name,
        "messages": _messages(request, images),
        "n": 1,
        "temperature": 0.0 if request.draw is None else setup.temperature,
        "top_p": setup.top_p,
        "presence_penalty": setup.presence_penalty,
        "frequency_penalty": setup.frequency_penalty,
        "max_tokens": setup.max_tokens,
        "logprobs": setup.logprobs,
        "stream": False,
    }
    number = seed(request)
    if number is not None:
        body["seed"] = number
    if not extensions:
        _refuse_beyond_plain(request)
        return body
    body |= {
        "top_k": setup.top_k,
        "min_p": setup.min_p,
        "repetition_penalty": setup.repetition_penalty,
        "stop": list(setup.stop),
        "continue_final_message": request.group.assistant is not None,
        "add_generation_prompt": request.group.assistant is None,
    }
    if setup.logprobs:
        body["top_logprobs"] = 0
    if setup.constraint is not None:
        body["structured_outputs"] = {"regex": setup.constraint}
    return body


def response_of(reply: object, setup: Setup, *, extensions: bool) -> Response:
    """The response that a server's JSON `reply` means. Raises BadReplyError that says what is wrong."""
    root = _mapping(reply, "the reply")
    choices = root.get("choices")
    if not isinstance(choices, Sequence) or len(choices) != 1:
        raise BadReplyError("the reply does not hold exactly one choice")
    choice = _mapping(choices[0], "the choice")
    message = _mapping(choice.get("message"), "the message")
    content = message.get("content")
    text = "" if content is None else content
    if not isinstance(text, str):
        raise BadReplyError("the message's content is no text")
    usage = _usage(root)
    tokens = _tokens(choice) if setup.logprobs else None
    if choice.get("finish_reason") == "content_filter":
        return Response(text, Finish.ERROR, State.REFUSED, usage.prompt, usage.output, error="content filter")
    if extensions:
        finish = _finish_told(choice)
    else:
        text, finish, tokens = _finish_cut(text, tokens, choice, setup)
    return Response(
        text=text,
        finish=finish,
        state=state_of(text, finish),
        prompt_tokens=usage.prompt,
        output_tokens=usage.output if extensions or tokens is None else len(tokens),
        cached_tokens=usage.cached,
        logprob=None if tokens is None else sum(logprob for _, logprob in tokens),
    )


def _messages(request: Request, images: ImageSource) -> list[Json]:
    """System text, then images and user text, then the prefix to be continued."""
    group = request.group
    parts: list[Json] = [
        {"type": "image_url", "image_url": {"url": _data_url(images.bytes(sha256))}}
        for sha256 in group.images
    ]
    parts.append({"type": "text", "text": user_text(request)})
    messages: list[Json] = [{"role": "user", "content": parts}]
    if group.system is not None:
        messages.insert(0, {"role": "system", "content": group.system})
    if group.assistant is not None:
        messages.append({"role": "assistant", "content": group.assistant})
    return messages


def _data_url(data: bytes) -> str:
    kind = next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), None)
    if kind is None:
        raise UserError(
            "the image is none of PNG, JPEG, WebP and GIF",
            where=f"{len(data)} bytes that begin with {data[:4]!r}",
            remedy="convert the benchmark's pictures; servers take no other formats",
        )
    return f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"


def _refuse_beyond_plain(request: Request) -> None:
    setup = request.group.setup
    asked = {
        "a prefix to continue": request.group.assistant is not None,
        "top_k": setup.top_k > 0,
        "min_p": setup.min_p > 0,
        "repetition_penalty": setup.repetition_penalty != 1.0,
        "constraint": setup.constraint is not None,
    }
    faults = [name for name, wanted in asked.items() if wanted]
    if faults:
        raise UserError(
            f"without extensions the chat format has no {', '.join(faults)}",
            where=f"setup of model {setup.model!r}",
            remedy="use a server that knows the extensions of vLLM, or leave the field at its default",
        )


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt: int
    output: int
    cached: int | None


def _usage(root: Json) -> _Usage:
    found = _mapping(root.get("usage"), "the token usage")
    details = found.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    prompt, output = found.get("prompt_tokens"), found.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(output, int):
        raise BadReplyError("the token usage lacks its counts")
    return _Usage(prompt, output, cached if isinstance(cached, int) else None)


def _tokens(choice: Json) -> list[tuple[str, float]]:
    """(text, log-probability) of every sampled token; the request asked for them."""
    logprobs = _mapping(choice.get("logprobs"), "the log-probabilities")
    content = logprobs.get("content")
    if not isinstance(content, Sequence):
        raise BadReplyError("the log-probabilities have no content")
    found = []
    for entry in content:
        token = _mapping(entry, "a log-probability")
        text, logprob = token.get("token"), token.get("logprob")
        if not isinstance(text, str) or not isinstance(logprob, int | float):
            raise BadReplyError("a log-probability lacks its token or number")
        found.append((text, float(logprob)))
    return found


def _finish_told(choice: Json) -> Finish:
    """How it ended, where the server gives the reason.

    A stop string is told by itself. The end of sequence has no reason, or, for the second and later ones of a
    checkpoint, the token's number. No reason also goes with the token limit, so the two fields are read
    together.
    """
    if "stop_reason" not in choice:
        raise BadReplyError(
            "the server does not say which stop it met (no stop_reason): it needs the plain dialect"
        )
    finish, reason = choice.get("finish_reason"), choice["stop_reason"]
    if finish == "length":
        return Finish.LENGTH
    if finish == "stop":
        return Finish.NEWLINE if isinstance(reason, str) else Finish.EOS
    raise BadReplyError(f"the server ended with {finish!r}")


def _finish_cut(
    text: str, tokens: list[tuple[str, float]] | None, choice: Json, setup: Setup
) -> tuple[str, Finish, list[tuple[str, float]] | None]:
    """How it ended, where the server does not tell a stop string from the end of sequence.

    No stop strings were sent, so the text runs on; it is cut here, and its tokens with it, up to the one that
    completes the stop string.
    """
    places = [place for stop in setup.stop if (place := text.find(stop)) >= 0]
    if places:
        written = ""
        kept = []
        for token in tokens or []:
            kept.append(token)
            written += token[0]
            if any(stop in written for stop in setup.stop):
                break
        return text[: min(places)], Finish.NEWLINE, None if tokens is None else kept
    finish = choice.get("finish_reason")
    if finish == "length":
        return text, Finish.LENGTH, tokens
    if finish == "stop":
        return text, Finish.EOS, tokens
    raise BadReplyError(f"the server ended with {finish!r}")


def _mapping(value: object, what: str) -> Json:
    if not isinstance(value, Mapping):
        raise BadReplyError(f"{what} is missing or no JSON object")
    return value
