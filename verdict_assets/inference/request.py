"""What a model is asked and what it answered, and the keys under which answers are stored.

Belongs here: the frozen records Setup, Group, Request, Response, Provenance, and the rules that follow from
them alone (key, seed, user text, state). Does not belong here: how a request reaches a model (`engines/`),
where answers are kept (`store/`), what a reply means (`parse/`).

The key of a request is the hash of all that can change the answer. It is computed in three levels, so that
what is shared is hashed once: Setup (role and study), Group (the place: for generation a node of the trace
tree), Request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from verdict_assets.inference.canonical import Value, canonical, digest, sha256_text
from verdict_assets.inference.seeds import seed_of_key

KEY_VERSION = 1
"""Version of the key's encoding; it is part of every key, so a new encoding can never be mistaken for an old
one."""


class State(StrEnum):
    """What became of a request.

    'unparsable' is not among them: that is the parser's finding, not the engine's.
    """

    OK = "ok"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    ERROR = "error"


class Finish(StrEnum):
    """Why the model stopped.

    End of sequence, a stop string (the newline of a step), the token limit, or a failure.
    """

    EOS = "eos"
    NEWLINE = "newline"
    LENGTH = "length"
    ERROR = "error"


_FLOATS = ("temperature", "top_p", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty")


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that all calls of one role in one study share.

    Every sampling field is given, none is left to an engine's default: servers fill what is absent from the
    checkpoint's own file.
    """

    model: str
    """Model id, for instance "scenes-base"."""
    revision: str
    """sha256 over the files of the weight folder, or a hub commit."""
    tokenizer: str
    """sha256 of tokenizer.json."""
    template: str
    """sha256 of the chat template."""
    dtype: str
    image_recipe: str
    """Name and version of our own image preprocessing and its pixel budget."""
    temperature: float
    top_p: float
    max_tokens: int
    stop: tuple[str, ...]
    """Stop strings, ("\\n",) for steps and () for judges."""
    top_k: int = -1
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logprobs: bool = False
    constraint: str | None = None
    """A grammar or pattern that the reply is forced to follow."""
    generation_seed: int | None = None
    """Base reasoner only: lets a study draw another tree from the same model."""
    key_version: int = KEY_VERSION
    _key: str | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in _FLOATS:  # 1 and 1.0, 0.0 and -0.0 mean the same to an engine and must have one key
            object.__setattr__(self, name, float(getattr(self, name)) + 0.0)
        object.__setattr__(self, "stop", tuple(self.stop))

    def encoded(self) -> str:
        """Canonical JSON of the fields, as the store keeps it; its sha256 is the key."""
        return canonical({f.name: getattr(self, f.name) for f in fields(self) if f.init})

    @property
    def key(self) -> str:
        """Hex sha256 of the canonical encoding."""
        if self._key is None:
            object.__setattr__(self, "_key", sha256_text(self.encoded()))
        assert self._key is not None
        return self._key


@dataclass(frozen=True, slots=True)
class Group:
    """What all requests at one place share.

    For generation the place is a node of the trace tree, and the group's key is the node's id.
    """

    setup: Setup
    images: tuple[str, ...]
    """Hex sha256 of the source image files, in order; images come first in the user message."""
    user: str
    """User text; for judges up to, and not including, the candidate."""
    cue: str | None = None
    """Judges: the text after the candidate."""
    assistant: str | None = None
    """Generation: the exact prefix (whitespace included) that is continued; None while there is none."""
    system: str | None = None
    _key: str | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "images", tuple(self.images))
        if self.assistant == "":  # nothing to continue: the same request as without a prefix, so the same key
            object.__setattr__(self, "assistant", None)

    @property
    def key(self) -> str:
        """Hex sha256 of the group's canonical encoding, in which the setup stands as its key."""
        if self._key is None:
            parts = (self.images, self.user, self.cue, self.assistant, self.system)
            object.__setattr__(self, "_key", group_key(self.setup.key, *parts))
        assert self._key is not None
        return self._key


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model."""

    group: Group
    tail: str | None = None
    """Judges: the candidate's text, placed between the user text and the cue."""
    draw: int | None = None
    """Index of the candidate, or the judge seed k; None means greedy, without a seed."""

    @property
    def key(self) -> str:
        """Hex sha256 that names this request among all requests ever asked."""
        return request_key(self.group.key, self.tail, self.draw)


@dataclass(frozen=True, slots=True)
class Response:
    """One answer of a model."""

    text: str
    """The continuation, without the stop string."""
    finish: Finish
    state: State
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int | None = None
    """Prompt tokens that the engine took from its prefix cache; None where it does not say."""
    logprob: float | None = None
    """Sum of the natural logarithms of the probabilities of the sampled tokens; None where it was not asked
    for."""
    error: str | None = None

    def same_answer(self, other: Response) -> bool:
        """Whether both say the same.

        Token counts and log-probabilities may differ in the last digit between runs.
        """
        return (self.text, self.finish, self.state) == (other.text, other.finish, other.state)


@dataclass(frozen=True, slots=True)
class Provenance:
    """How an answer was made.

    A study pins one such class; mixing has to be asked for and is named in the report.
    """

    engine: str
    version: str
    device: str
    dtype: str
    batch: str
    """How requests are batched, because batch composition changes sampled text."""

    def encoded(self) -> str:
        """Canonical JSON, as the store keeps it."""
        return canonical({f.name: getattr(self, f.name) for f in fields(self)})


def group_key(
    setup_key: str,
    images: tuple[str, ...],
    user: str,
    cue: str | None,
    assistant: str | None,
    system: str | None,
) -> str:
    """Key of a group from its parts.

    The store computes it from what it read, so a shard cannot claim a wrong key.
    """
    parts: Mapping[str, Value] = {
        "setup": setup_key,
        "images": images,
        "user": user,
        "cue": cue,
        "assistant": assistant,
        "system": system,
    }
    return digest(parts)


def request_key(of_group: str, tail: str | None, draw: int | None) -> str:
    """Key of the request (tail, draw) within the group whose key is `of_group`."""
    return digest({"group": of_group, "tail": tail, "draw": draw})


def seed(request: Request) -> int | None:
    """The sampling seed in [0, 2^63), derived from the key; None for a greedy request."""
    return None if request.draw is None else seed_of_key(request.key)


def user_text(request: Request) -> str:
    """The user message that follows the images: user text, candidate, cue."""
    return request.group.user + (request.tail or "") + (request.group.cue or "")


def state_of(text: str, finish: Finish) -> State:
    """The state of a reply: cut by the token limit is truncated, whitespace alone is empty, all else is ok.

    The rule is the same for steps and judge replies. A definite refusal is known to the engine alone and set
    there.
    """
    if finish is Finish.ERROR:
        return State.ERROR
    if finish is Finish.LENGTH:
        return State.TRUNCATED
    return State.OK if text.strip() else State.EMPTY
