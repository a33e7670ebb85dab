"""The store as the rest of the package sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.inference.request import Provenance, Request, Response


@dataclass(frozen=True, slots=True)
class Layer:
    path: Path
    frozen: bool


@dataclass(frozen=True, slots=True)
class Divergence:
    """A later answer to a request that differs from the first one. The first wins; the later is listed, never used."""

    group: str
    tail: str | None
    draw: int | None
    first: Response
    first_shard: Path
    later: Response
    later_shard: Path


class Store:
    @classmethod
    def open(cls, frozen: Sequence[Path] = (), open_layer: Path | None = None) -> Store:
        raise NotImplementedError

    def get(self, request: Request) -> Response | None:
        raise NotImplementedError

    def get_many(self, requests: Sequence[Request]) -> list[Response | None]:
        raise NotImplementedError

    def commit(self, answers: Sequence[tuple[Request, Response]], provenance: Provenance, run_id: str) -> Path:
        raise NotImplementedError

    def layer_of(self, request: Request) -> Layer | None:
        raise NotImplementedError

    def provenance_of(self, request: Request) -> Provenance | None:
        raise NotImplementedError

    @property
    def divergences(self) -> list[Divergence]:
        raise NotImplementedError
