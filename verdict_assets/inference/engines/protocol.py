"""The one protocol behind which every engine stands.

Belongs here: what `generate` needs of an engine, and the error of an engine that is gone. Does not belong
here: anything about a particular engine, a strategy, or the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from verdict_assets.errors import UserError
from verdict_assets.inference.request import Provenance, Request, Response


class EngineLost(UserError):  # noqa: N818 - names the event, as callers catch it
    """The engine is gone: its process died, or its server is unreachable or without progress.

    Nothing was learned about the requests that it did not answer.

    The only failure after which a run may be tried again unchanged.
    """


class Engine(Protocol):
    """Answers requests.

    A failure of one request is a Response with state error, or refused when it is definite.
    """

    @property
    def provenance(self) -> Provenance:
        """How the answers of this engine are made; constant over its life."""
        ...

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Response]]:
        """Yield (index into `requests`, answer), each index once, in any order, as answers come.

        Raises EngineLost when the engine is gone.
        """
        ...

    def close(self) -> None:
        """Release what the engine holds; calling it twice does no harm."""
        ...
