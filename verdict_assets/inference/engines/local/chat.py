"""From a request to the text of its prompt, by the model folder's own chat template.

Belongs here: rendering, and the check that an assistant prefix is continued exactly. Does not belong here:
the wording of prompts (`inference/prompts/`), and tokens (`checkpoint.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from verdict_assets.errors import UserError
from verdict_assets.inference.request import Request, user_text

Message = Mapping[str, object]

_PROBE = " \n probe \u2020 text \n "
"""Stands for the user's text in a rendering. Its white space shows whether the template keeps text as it
is."""


class ChatTemplate(Protocol):
    """What is needed of a tokenizer of transformers."""

    def apply_chat_template(
        self,
        conversation: Sequence[Message],
        *,
        tokenize: bool,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
    ) -> str:
        """The rendered conversation."""
        ...


class Chat:
    """Renders requests: images first, then the user's text, then the assistant prefix, continued exactly."""

    def __init__(self, template: ChatTemplate, where: object) -> None:
        """Raises UserError when the template cannot continue a message; `where` names the folder."""
        self._template = template
        self._frame = lru_cache(maxsize=64)(self._split)
        self._refuse_inexact_continuation(where)

    def prompt(self, request: Request) -> str:
        """The text of the whole prompt; it ends with the assistant prefix, its trailing newline included."""
        group = request.group
        frame = self._frame(len(group.images), group.system)
        user = user_text(request)
        if frame is None:
            opening = self._rendered(len(group.images), group.system, user)
        else:
            opening = f"{frame[0]}{user}{frame[1]}"
        return opening + (group.assistant or "")

    def opening(self, request: Request) -> str:
        """What the prompts of the request's group have in common: everything before the tail.

        Where the template rewrites the user's text this is a guess; callers use it to see how much is worth
        keeping.
        """
        frame = self._frame(len(request.group.images), request.group.system)
        return (frame[0] if frame else "") + request.group.user

    def _split(self, images: int, system: str | None) -> tuple[str, str] | None:
        """What the template puts before and after the user's text; None when it rewrites the text itself.

        A template is a program; running it once per shape of a conversation instead of once per request is
        the difference between a tenth of a millisecond and a microsecond, for texts that pass through it
        unchanged.
        """
        before, found, after = self._rendered(images, system, _PROBE).partition(_PROBE)
        return (before, after) if found else None

    def _rendered(self, images: int, system: str | None, user: str) -> str:
        return self._template.apply_chat_template(
            _conversation(images, system, user), tokenize=False, add_generation_prompt=True
        )

    def _refuse_inexact_continuation(self, where: object) -> None:
        """A server renders the prefix through the template; both ways must give the same prompt."""
        prefix = "first step\nsecond step\n"
        message = {"role": "assistant", "content": [{"type": "text", "text": prefix}]}
        theirs = self._template.apply_chat_template(
            [*_conversation(1, None, "question"), message], tokenize=False, continue_final_message=True
        )
        ours = self._rendered(1, None, "question") + prefix
        if theirs != ours:
            raise UserError(
                "the chat template does not continue an assistant message exactly: it gives "
                f"{theirs[-60:]!r} where {ours[-60:]!r} was expected",
                where=where,
                remedy="give the model a chat template that copies message text without trimming it",
            )


def _conversation(images: int, system: str | None, user: str) -> list[Message]:
    """The messages in the form servers give to templates: content is a list of parts."""
    parts: list[Message] = [{"type": "image"} for _ in range(images)]
    parts.append({"type": "text", "text": user})
    messages: list[Message] = [{"role": "user", "content": parts}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": [{"type": "text", "text": system}]})
    return messages
