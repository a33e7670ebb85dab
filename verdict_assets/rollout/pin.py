"""One study, one way of making answers: engine, version, device and number format.

Here: the comparison. Not here: what an engine says of itself (`inference/engines`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from verdict_assets.errors import UserError
from verdict_assets.inference.request import Provenance

REPLAY = "replay"
_PINNED = ("engine", "version", "device", "dtype")
"""How requests share batches may differ: it moves the last digits, not the way of computing."""


@dataclass(frozen=True, slots=True)
class Pin:
    """What new answers of a study will be made by."""

    study: str
    ours: Provenance

    def check(self, stored: Iterable[Provenance]) -> None:
        """Raise `UserError` when stored answers were made in another way. Replay makes none of its own."""
        if self.ours.engine == REPLAY:
            return
        others = sorted({_shown(other) for other in stored if _way(other) != _way(self.ours)})
        if others:
            raise UserError(
                f"stored answers were made by {'; '.join(others)}; this engine is {_shown(self.ours)}",
                where=f"study {self.study}",
                remedy="use the same engine, keep answers apart in another layer (--layer), or allow --mixed",
            )


def _way(provenance: Provenance) -> tuple[str, ...]:
    return tuple(getattr(provenance, name) for name in _PINNED)


def _shown(provenance: Provenance) -> str:
    return ", ".join(f"{name} {getattr(provenance, name)}" for name in _PINNED)
