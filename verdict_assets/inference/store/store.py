"""The store as the rest of the package sees it: ask for an answer, commit answers.

Belongs here: the index of answers in memory, first wins, divergences, committing. Does not belong here: files
and their verification (`files.py`, `claim.py`, `guard.py`), the format of a shard (`shard.py`), compaction
(`freeze.py`), repair (`doctor.py`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from verdict_assets.errors import UserError
from verdict_assets.inference.request import Group, Provenance, Request, Response, State
from verdict_assets.inference.store import shard as shard_format
from verdict_assets.inference.store.claim import publish
from verdict_assets.inference.store.files import new_temporary, shard_number
from verdict_assets.inference.store.guard import Layer, verified_shards
from verdict_assets.inference.store.shard import Place, StoredGroup


@dataclass(frozen=True, slots=True)
class Divergence:
    """A later answer to a request that differs from the first one.

    The first wins; the later is listed, never used.
    """

    group: str
    """Key of the group."""
    tail: str | None
    draw: int | None
    first: Response
    first_shard: Path
    later: Response
    later_shard: Path


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where answers come from. The order decides who was first: layer, then shard number, then name."""

    order: tuple[int, int, str]
    layer: Layer
    shard: Path
    provenance: str
    run_id: str


_Answer = tuple[Response, _Origin]


class Store:
    """Answers by request, over frozen layers (read-only, read first) and at most one open layer.

    The whole index is kept in memory: about 0.3 kB an answer. Not safe for several threads; several processes
    may have the same layers open and commit to the same open layer.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = tuple(layers)
        self._loaded: set[Path] = set()
        self._answers: dict[str, dict[Place, _Answer]] = {}
        self._later: list[tuple[str, Place, _Answer]] = []
        self._origins: dict[tuple[Path, str, str], _Origin] = {}
        for number in range(len(self._layers)):
            self._load(number)

    @classmethod
    def open(cls, frozen: Sequence[Path] = (), open_layer: Path | None = None) -> Self:
        """Open the layers, verify every file of them and load the index.

        Earlier frozen layers win over later ones, and all of them over the open layer. An absent folder is an
        empty layer; the open one is made by the first commit.

        Raises DamagedStore when a file is not what its name or the manifest promises.
        """
        layers = [Layer(path, frozen=True) for path in frozen]
        if open_layer is not None:
            layers.append(Layer(open_layer, frozen=False))
        return cls(layers)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers in the order in which they are read."""
        return self._layers

    @property
    def open_layer(self) -> Layer | None:
        """The layer that takes new answers, if there is one."""
        return next((layer for layer in self._layers if not layer.frozen), None)

    @property
    def divergences(self) -> list[Divergence]:
        """Later answers that differ from the first, in the order of groups and places."""
        found = []
        for key, place, later in self._later:
            first = self._answers[key][place]
            if not first[0].same_answer(later[0]):
                found.append(
                    (
                        (key, repr(place), later[1].order),
                        Divergence(key, *place, first[0], first[1].shard, later[0], later[1].shard),
                    )
                )
        return [divergence for _, divergence in sorted(found, key=lambda entry: entry[0])]

    def __len__(self) -> int:
        return sum(len(places) for places in self._answers.values())

    def get(self, request: Request) -> Response | None:
        """The first answer that was ever given to this request, or None."""
        found = self._find(request)
        return None if found is None else found[0]

    def get_many(self, requests: Sequence[Request]) -> list[Response | None]:
        """`get` for each request, in order."""
        return [self.get(request) for request in requests]

    def layer_of(self, request: Request) -> Layer | None:
        """The layer that answers this request; numbers that rest on an open layer are drafts."""
        found = self._find(request)
        return None if found is None else found[1].layer

    def shard_of(self, request: Request) -> Path | None:
        """The file that holds the answer to this request."""
        found = self._find(request)
        return None if found is None else found[1].shard

    def run_of(self, request: Request) -> str | None:
        """Id of the run that stored the answer to this request."""
        found = self._find(request)
        return None if found is None else found[1].run_id

    def provenance_of(self, request: Request) -> Provenance | None:
        """How the answer to this request was made."""
        found = self._find(request)
        return None if found is None else Provenance(**json.loads(found[1].provenance))

    def provenances(self, requests: Sequence[Request]) -> dict[Provenance, int]:
        """How many of the requests each class of provenance answered.

        Requests without an answer count nowhere.
        """
        found = [answer for request in requests if (answer := self._find(request)) is not None]
        counts = Counter(origin.provenance for _, origin in found)
        return {Provenance(**json.loads(encoded)): count for encoded, count in sorted(counts.items())}

    def stored_groups(self) -> Iterator[StoredGroup]:
        """All rows of all layers as they were stored, for audits and for explaining a miss.

        Reads the files again.
        """
        for layer in self._layers:
            yield from shard_format.read(verified_shards(layer))

    def refresh(self) -> None:
        """Load the shards that other writers added to the open layer since the last look."""
        if self.open_layer is not None:
            self._load(self._layers.index(self.open_layer))

    def commit(
        self, answers: Sequence[tuple[Request, Response]], provenance: Provenance, run_id: str
    ) -> Path:
        """Write answers to the open layer as one new shard and return its path.

        Afterwards the index holds them, and what other writers committed meanwhile; where another writer was
        first, its answer wins and ours is a divergence if it differs.

        Raises UserError when there is nothing to store or no open layer, ValueError for an answer that must
        not be stored (state error: nothing was learned) or two answers to one request.
        """
        layer = self._writable(len(answers))
        groups = _by_group(answers)
        layer.path.mkdir(parents=True, exist_ok=True)
        temporary = new_temporary(layer.path)
        try:
            shard_format.write(temporary, list(groups.values()), provenance, run_id)
            shard = publish(temporary)
        finally:
            temporary.unlink(missing_ok=True)
        origin = _origin(len(self._layers) - 1, layer, shard, provenance.encoded(), run_id)
        for key, (_, places) in groups.items():
            self._add(key, places.items(), origin)
        self._loaded.add(shard)
        self.refresh()
        return shard

    def _load(self, number: int) -> None:
        layer = self._layers[number]
        shards = verified_shards(layer, known=self._loaded)
        for row in shard_format.read(shards):
            self._add_row(number, layer, row)
        self._loaded.update(shards)

    def _writable(self, count: int) -> Layer:
        if count == 0:
            raise UserError(
                "a commit without a single answer: what should have been stored was lost on the way",
                remedy="this is a fault of the program; please report it with the command that was run",
            )
        layer = self.open_layer
        if layer is None:
            raise UserError(
                f"{count} answers cannot be kept: the store was opened without an open layer",
                remedy="give the store an open layer before asking a model",
            )
        return layer

    def _find(self, request: Request) -> _Answer | None:
        places = self._answers.get(request.group.key)
        return None if places is None else places.get((request.tail, request.draw))

    def _add_row(self, number: int, layer: Layer, row: StoredGroup) -> None:
        made = (row.shard, row.provenance, row.run_id)
        origin = self._origins.get(made)
        if origin is None:
            origin = self._origins[made] = _origin(number, layer, *made)
        self._add(row.key, row.answers, origin)

    def _add(self, key: str, answers: Iterable[tuple[Place, Response]], origin: _Origin) -> None:
        places = self._answers.setdefault(key, {})
        for place, response in answers:
            new = (response, origin)
            first = places.setdefault(place, new)
            if first is new:
                continue
            later = new
            if origin.order < first[1].order:
                later, first = first, new
                places[place] = first
            # Within the open layer a shard with a lower number may still appear and turn first into later, so
            # there equal answers are remembered too; whether they diverge is decided when they are listed.
            if origin.layer is first[1].layer or not first[0].same_answer(later[0]):
                self._later.append((key, place, later))


def _origin(number: int, layer: Layer, shard: Path, provenance: str, run_id: str) -> _Origin:
    return _Origin((number, shard_number(shard.name) or 0, shard.name), layer, shard, provenance, run_id)


def _by_group(answers: Sequence[tuple[Request, Response]]) -> dict[str, tuple[Group, dict[Place, Response]]]:
    groups: dict[str, tuple[Group, dict[Place, Response]]] = {}
    for request, response in answers:
        if response.state is State.ERROR:
            raise ValueError(f"an error is no answer and is not stored: {response.error}")
        _, places = groups.setdefault(request.group.key, (request.group, {}))
        if places.setdefault((request.tail, request.draw), response) is not response:
            raise ValueError(f"two answers to the request {request.key} in one commit")
    return groups
