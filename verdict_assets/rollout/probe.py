"""Asking a study's judges about steps of known truth, and the table of what they said.

Here: the probe's requests, asking them, and its rows read from the store. Not here: which steps these are
(`scenes.probe`), and what the scores say (`analysis`).

The judges are asked exactly as in the study: same models, prompts and decoding, of its first score set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from verdict_assets.benchmarks.load import Question
from verdict_assets.benchmarks.probe import load_probe
from verdict_assets.inference.engines.protocol import Engine, EngineLost
from verdict_assets.inference.generate import generate
from verdict_assets.inference.parse import parse_score
from verdict_assets.inference.request import Request, Response, State
from verdict_assets.inference.store import Store
from verdict_assets.rollout.expand import Options
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.pin import Pin
from verdict_assets.rollout.progress import Progress
from verdict_assets.rollout.report import Report
from verdict_assets.scenes.probe import ProbeItem
from verdict_assets.schemas.check import conform, empty
from verdict_assets.schemas.judge_probe import TABLE


@dataclass(frozen=True, slots=True)
class Asked:
    """One judge's call about one item. `number`: place of the item among those of its question."""

    number: int
    item: ProbeItem
    judge: str
    request: Request


@dataclass(frozen=True, slots=True)
class Probe:
    """The calls of one partition, by question in its order; none where no truth is known."""

    study: str
    benchmark: str
    calls: dict[str, tuple[Asked, ...]]


@dataclass(frozen=True, slots=True)
class ProbeExtract:
    """The rows of one partition in stored form, or none while a reply is missing.

    open: ids of the questions that lack a reply, in order. draft: a row rests on the open layer.
    """

    judge_probe: pd.DataFrame
    questions: int
    open: tuple[str, ...]
    draft: bool

    @property
    def closed(self) -> bool:
        """Whether no reply is missing."""
        return not self.open


def open_probe(root: Path, partition: Partition) -> Probe:
    """The probe of a partition of the project at `root`. Raises `UserError` for a file that is missing."""
    items: dict[str, list[tuple[Question, ProbeItem]]] = {}
    for question, item in load_probe(root, partition.benchmark, partition.questions):
        items.setdefault(question.question_id, []).append((question, item))
    calls = {
        question_id: tuple(
            call
            for number, (question, item) in enumerate(mine)
            for call in _calls(partition, question, number, item)
        )
        for question_id, mine in items.items()
    }
    return Probe(partition.study.name, partition.benchmark, calls)


def ask_probe(
    probe: Probe,
    store: Store,
    engine: Engine,
    *,
    run_id: str,
    options: Options = Options(),
    progress: Progress | None = None,
) -> Report:
    """Ask the engine for the replies that the store lacks, so many questions at a time as the window is wide.

    A lost engine or a spent budget ends it with a report that says so; what was answered before is kept.
    Raises `UserError` when stored replies were made in another way and `options.mixed` does not allow it.
    """
    report = Report(f"judge probe of {probe.study}", probe.benchmark, len(probe.calls))
    pin = None if options.mixed else Pin(probe.study, engine.provenance)
    names = list(probe.calls)
    for start in range(0, len(names), options.window):
        window = range(start, min(start + options.window, len(names)))
        requests = [call.request for at in window for call in probe.calls[names[at]]]
        answers = store.get_many(requests)
        found = [request for request, answer in zip(requests, answers, strict=True) if answer is not None]
        if pin is not None:
            pin.check(store.provenances(found))
        report.from_store += len(found)
        missing = [request for request, answer in zip(requests, answers, strict=True) if answer is None]
        if options.budget is not None:
            missing = missing[: options.budget - report.asked]
        if progress is not None:
            for at in window:
                progress.asked(at)
        try:
            responses = generate(
                missing,
                store,
                engine,
                run_id=run_id,
                on_progress=None if progress is None else progress.answered,
            )
        except EngineLost as lost:
            report.stopped = str(lost)
            break
        _count(report, [*(answer for answer in answers if answer is not None), *responses])
        report.asked += len(missing)
        if progress is not None:
            progress.closed(list(window))
    report.open = [name for name in names if not _answered(probe, name, store)]
    report.closed = len(names) - len(report.open)
    if report.open and options.budget == report.asked:
        report.stopped = "the budget is spent"
    return report
