"""What a rollout did: counts, and what is still open.

Here: the record and its wording. Not here: live progress (`progress.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from verdict_assets.inference.parse import parse_score
from verdict_assets.inference.request import Response, State

_SHOWN = 10


@dataclass(slots=True)
class Report:
    """Counts of one rollout of one partition.

    states: (kind of request, state) -> answers, where a judge's reply without a readable score is
    "unparsable".
    """

    study: str
    benchmark: str
    questions: int
    asked: int = 0
    from_store: int = 0
    states: Counter[tuple[str, str]] = field(default_factory=Counter)
    closed: int = 0
    open: list[str] = field(default_factory=list)
    """Ids of the questions that are not closed, in order."""
    failed: Counter[str] = field(default_factory=Counter)
    """Message -> requests that failed without a definite answer."""
    stopped: str | None = None
    """Why the rollout ended before everything was asked."""

    def count(self, kind: str, response: Response) -> None:
        """Note one answer that was used."""
        state = str(response.state)
        if (
            kind == "score"
            and response.state is State.OK
            and parse_score(response.text, response.finish).score is None
        ):
            state = "unparsable"
        self.states[kind, state] += 1

    def lines(self) -> Iterator[str]:
        """The report for a reader."""
        yield f"{self.study} on {self.benchmark}: {self.closed} of {self.questions} questions closed"
        yield f"requests asked: {self.asked}, answered from the store: {self.from_store}"
        for kind, name in (("step", "steps"), ("score", "scores")):
            counts = [f"{state} {count}" for (of, state), count in sorted(self.states.items()) if of == kind]
            yield f"{name}: {', '.join(counts) or 'none'}"
        for message, count in self.failed.most_common(_SHOWN):
            yield f"failed {count} times, to be asked again by another run: {message}"
        if self.open:
            more = f" and {len(self.open) - _SHOWN} more" if len(self.open) > _SHOWN else ""
            yield f"not closed: {', '.join(self.open[:_SHOWN])}{more}"
        if self.stopped is not None:
            yield f"stopped early: {self.stopped}"
