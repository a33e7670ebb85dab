"""Asking an engine for exactly what the strategies of a study still need, until its trees are closed.

Here: the sliding window of questions, rounds, and the budget. Not here: what is needed (`forest.py`),
keeping answers (`inference/store`), and talking to a model (`inference/engines`).

A round asks everything that the questions in the window wait for, candidates and scores mixed, and keeps
the answers in the store; then the strategies are replayed. A run that is killed goes on where it was: the
next one finds its answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verdict_assets.inference.engines.protocol import Engine, EngineLost
from verdict_assets.inference.generate import generate
from verdict_assets.inference.request import Request, Response, State
from verdict_assets.inference.store import Store
from verdict_assets.rollout.forest import Forest, Waiting
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.pin import Pin
from verdict_assets.rollout.progress import Progress
from verdict_assets.rollout.report import Report
from verdict_assets.rollout.settle import Settled, settle

_BUDGET_ROUND = 256
"""Requests per round under a budget: small enough that what is learned can still direct the rest."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a rollout runs; none of it can change a table.

    window: questions that are grown at the same time. budget: at most so many requests are asked, first
    where most walkers wait; None asks for all. mixed: let answers of several engines, versions, devices or
    number formats stand side by side in one study.
    """

    window: int = 64
    budget: int | None = None
    mixed: bool = False

    def __post_init__(self) -> None:
        if self.window < 1 or (self.budget is not None and self.budget < 1):
            raise ValueError("window and budget must be at least 1")


def expand(
    partition: Partition,
    store: Store,
    engine: Engine,
    *,
    run_id: str,
    options: Options = Options(),
    progress: Progress | None = None,
) -> Report:
    """Grow the trees of a partition until they are closed, the budget is spent or the engine is lost.

    A lost engine ends the rollout with a report that says so; what was answered before is kept. Raises
    `UserError` when stored answers were made in another way than this engine's and `options.mixed` does
    not allow it.
    """
    return _Rollout(partition, store, engine, run_id, options, progress).run()


class _Rollout:
    def __init__(
        self,
        partition: Partition,
        store: Store,
        engine: Engine,
        run_id: str,
        options: Options,
        progress: Progress | None,
    ) -> None:
        self._partition = partition
        self._store = store
        self._engine = engine
        self._run_id = run_id
        self._pin = None if options.mixed else Pin(partition.study.name, engine.provenance)
        self._left = options.budget
        # A budget is spent best where it helps most of all questions, so all of them are looked at.
        self._window = options.window if options.budget is None else len(partition.questions)
        self._progress = progress
        self._forest = Forest(partition.points)
        self._next: Iterator[int] = iter(range(len(partition.questions)))
        self._open: set[int] = set()
        self._failed: set[tuple[str, str | None, int | None]] = set()
        self._unseen: list[Request] = []
        self._report = Report(partition.study.name, partition.benchmark, len(partition.questions))

    def run(self) -> Report:
        while True:
            missing = self._advance()
            chosen = self._choose(missing)
            if not chosen:
                break
            try:
                self._ask(chosen)
            except EngineLost as lost:
                self._report.stopped = str(lost)
                break
        return self._finish()

    def _advance(self) -> list[Waiting]:
        """Fill the window and follow stored answers until every question in it waits for the engine."""
        self._fill()
        while True:
            settled = settle(self._forest, self._store, self._found)
            if not self._retire(settled) or not self._fill():
                return settled.missing

    def _fill(self) -> int:
        added = 0
        while len(self._forest) < self._window and (position := next(self._next, None)) is not None:
            self._forest.add(position, self._partition.tree(position))
            self._open.add(position)
            added += 1
        return added

    def _retire(self, settled: Settled) -> int:
        """Let closed questions go, and those that wait only for requests that failed in this run."""
        self._open.difference_update(settled.closed)
        if self._progress is not None:
            self._progress.closed(settled.closed)
        done = set(settled.closed)
        if self._failed:
            waiting = {item.question for item in settled.missing}
            waiting -= {item.question for item in settled.missing if item.want.place not in self._failed}
            done |= waiting
        self._forest.drop(done)
        return len(done)

    def _choose(self, missing: Sequence[Waiting]) -> list[Waiting]:
        if self._failed:
            missing = [item for item in missing if item.want.place not in self._failed]
        if self._left is None:
            return list(missing)
        most_first = sorted(missing, key=lambda item: -item.walkers)
        return most_first[: min(self._left, _BUDGET_ROUND)]

    def _ask(self, chosen: Sequence[Waiting]) -> None:
        if self._pin is not None:
            self._pin.check(self._store.provenances(self._unseen))
        self._unseen.clear()
        progress = self._progress
        if progress is not None:
            for item in chosen:
                progress.asked(item.question)
        responses = generate(
            [item.want.request for item in chosen],
            self._store,
            self._engine,
            run_id=self._run_id,
            on_progress=None if progress is None else progress.answered,
        )
        for item, response in zip(chosen, responses, strict=True):
            if response.state is State.ERROR:
                self._failed.add(item.want.place)
                self._report.failed[response.error or "no message"] += 1
            else:
                item.want.accept(response)
                self._report.count(item.want.kind, response)
        asked = len({item.want.place for item in chosen})
        self._report.asked += asked
        if self._left is not None:
            self._left -= asked

    def _found(self, item: Waiting, response: Response) -> None:
        self._unseen.append(item.want.request)
        self._report.from_store += 1
        self._report.count(item.want.kind, response)

    def _finish(self) -> Report:
        # Questions the window never reached are open as well.
        untouched = set(self._next)
        still_open = sorted(self._open | untouched)
        self._report.open = [self._partition.questions[position].question_id for position in still_open]
        self._report.closed = self._report.questions - len(still_open)
        if self._report.stopped is None and self._left == 0 and still_open:
            self._report.stopped = "the budget is spent"
        return self._report
