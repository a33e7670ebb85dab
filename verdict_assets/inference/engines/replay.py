"""The engine that has no model: it answers from the store alone.

A miss is an error that names the request and says why it was missed.

Belongs here: the replay engine, and why a request was missed. Does not belong here: reading the store.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from verdict_assets.errors import UserError
from verdict_assets.inference.request import Group, Provenance, Request, Response
from verdict_assets.inference.store import Store
from verdict_assets.inference.store.guard import is_absent
from verdict_assets.inference.store.shard import StoredGroup

_SHOWN = 60
"""Characters of a text that a message shows."""


class ReplayMiss(UserError):  # noqa: N818 - the field's word for it
    """The store has no answer to a request, and no model may be asked."""


class ReplayEngine:
    """Answers from the store. Needed where a pipeline must run without a model, and to prove that it can."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def provenance(self) -> Provenance:
        """Of no answer: what replay returns keeps the provenance under which it was stored."""
        return Provenance(engine="replay", version="1", device="none", dtype="none", batch="none")

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Response]]:
        """Yield the stored answers. Raises ReplayMiss, before the first of them, when any is missing."""
        found = self._store.get_many(requests)
        missing = [request for request, answer in zip(requests, found, strict=True) if answer is None]
        if missing:
            raise _miss(missing, len(requests), self._store)
        yield from ((index, answer) for index, answer in enumerate(found) if answer is not None)

    def close(self) -> None:
        """Nothing to release."""


def explain_miss(request: Request, store: Store) -> str:
    """Why the store has no answer to this request: the nearest stored group and what differs from it.

    Near means few differing components, and among equals a long common beginning of the prefix and the user
    text.
    """
    asked = _fields(request.group.setup.encoded())
    nearest = min(
        (_difference(request.group, asked, stored) for stored in store.stored_groups()),
        key=lambda difference: difference.distance,
        default=None,
    )
    if nearest is None:
        absent = [str(layer.path) for layer in store.layers if is_absent(layer.path)]
        return "the store is empty" + (f" ({', '.join(absent)} is not there)" if absent else "")
    if not nearest.components:
        places = sorted(f"({_shown(tail)}, {draw})" for (tail, draw), _ in nearest.stored.answers)
        return (
            f"the place is stored, but not this candidate or draw ({_shown(request.tail)}, {request.draw}); "
            f"stored are {', '.join(places[:8])}{' ...' if len(places) > 8 else ''}"
        )
    return "the nearest stored place differs in " + "; ".join(nearest.components)


@dataclass(frozen=True, slots=True)
class _Difference:
    stored: StoredGroup
    components: list[str]
    distance: tuple[int, int]


def _difference(group: Group, ours: dict[str, object], stored: StoredGroup) -> _Difference:
    theirs = _fields(stored.setup)
    components = [
        f"{name} (asked {_shown(ours.get(name))}, stored {_shown(theirs.get(name))})"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    ]
    common = 0
    for name, asked, kept in (
        ("images", ",".join(group.images), ",".join(stored.images)),
        ("system text", group.system, stored.system),
        ("user text", group.user, stored.user),
        ("cue", group.cue, stored.cue),
        ("prefix", group.assistant, stored.assistant),
    ):
        same = _common_beginning(asked or "", kept or "")
        common += same
        if asked != kept:
            both = f"asked {_shown_from(asked, same)}, stored {_shown_from(kept, same)}"
            components.append(f"{name}, from character {same} on ({both})")
    return _Difference(stored, components, (len(components), -common))


@lru_cache(maxsize=64)
def _fields(setup: str) -> dict[str, object]:
    """The fields of an encoded setup; few setups stand in many thousand rows."""
    fields: dict[str, object] = json.loads(setup)
    return fields


def _miss(missing: list[Request], asked: int, store: Store) -> ReplayMiss:
    request = missing[0]
    group = request.group
    role = "a judge's reply" if group.cue is not None else "a candidate"
    return ReplayMiss(
        f"{len(missing)} of {asked} requests are not in the store; "
        f"the first is {role} of model {group.setup.model}\n"
        f"  question: {_shown(group.user)}\n"
        f"  prefix: {_shown_end(group.assistant)}\n"
        f"  candidate: {_shown(request.tail)}   draw: {request.draw}   images: {len(group.images)}\n"
        f"  key: {request.key}\n"
        f"  why: {explain_miss(request, store)}",
        where=", ".join(str(layer.path) for layer in store.layers) or "a store without layers",
        remedy="ask a model for what is missing (`verdict rollout` with an engine other than replay), "
        "or restore the layer that has it (git checkout, dvc pull)",
    )


def _common_beginning(first: str, second: str) -> int:
    """How many characters two texts share from the start on."""
    if first == second:
        return len(first)
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(first), len(second)))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _shown_from(text: str | None, start: int) -> str:
    return _shown(text if text is None else text[start:])


def _shown_end(text: str | None) -> str:
    return _shown(text) if text is None or len(text) <= _SHOWN else "..." + repr(text[-_SHOWN:])
