"""Asking a study's judges about steps of known truth, and the table of what they said.

Here: the probe's requests, asking them, and its rows read from the store. Not here: which steps these are
(`scenes.probe`), and what the scores say (`analysis`).

The judges are asked exactly as in the study: same models, prompts and decoding, of its first score set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from verdict_assets.rollout.cost import Cost, cost_of
from verdict_assets.rollout.expand import Options
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.pin import Pin
from verdict_assets.rollout.progress import Progress
from verdict_assets.rollout.report import Report
from verdict_assets.scenes.probe import ProbeItem
from verdict_assets.schemas.check import conform, empty
from verdict_assets.schemas.judge_probe import TABLE

_ROUND = 960
"""Requests a round: enough to fill any engine's batches, few enough to tell how long the rest will take."""


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

    open: ids of the questions that lack a reply, in order. draft: a row rests on the open layer. costs: by
    table, nothing while a reply is missing.
    """

    judge_probe: pd.DataFrame
    questions: int
    open: tuple[str, ...]
    draft: bool
    costs: Mapping[str, Cost]

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
    options: Options,
    progress: Progress | None = None,
) -> Report:
    """Ask the engine for the replies that the store lacks, at most as many as `options.budget` says.

    A lost engine ends it with a report that says so; what was answered before is kept. Raises `UserError`
    when stored replies were made in another way than this engine's and `options.mixed` does not allow it.
    """
    report = Report(f"judge probe of {probe.study}", probe.benchmark, len(probe.calls))
    missing: list[tuple[int, Request]] = []
    found: list[Request] = []
    for position, calls in enumerate(probe.calls.values()):
        for call, answer in _answers(calls, store):
            if answer is None:
                missing.append((position, call.request))
            else:
                found.append(call.request)
                report.count("score", answer)
    if not options.mixed:
        Pin(probe.study, engine.provenance).check(store.provenances(found))
    report.from_store = len(found)
    try:
        for responses in _rounds(missing[: options.budget], store, engine, run_id, progress):
            report.asked += len(responses)
            for response in responses:
                _note(report, response)
    except EngineLost as lost:
        report.stopped = str(lost)
    report.open = _open(probe, store)
    report.closed = report.questions - len(report.open)
    if report.stopped is None and report.asked < len(missing):
        report.stopped = "the budget is spent"
    return report


def _rounds(
    missing: Sequence[tuple[int, Request]],
    store: Store,
    engine: Engine,
    run_id: str,
    progress: Progress | None,
) -> Iterator[list[Response]]:
    """The engine's answers, round by round. A question is done when the next round begins after it."""
    for start in range(0, len(missing), _ROUND):
        asked, later = missing[start : start + _ROUND], missing[start + _ROUND :]
        if progress is not None:
            for position, _ in asked:
                progress.asked(position)
        requests = [request for _, request in asked]
        on_progress = None if progress is None else progress.answered
        yield generate(requests, store, engine, run_id=run_id, on_progress=on_progress)
        if progress is not None:
            unfinished = later[0][0] if later else None
            progress.closed([position for position, _ in asked if position != unfinished])


def _note(report: Report, response: Response) -> None:
    if response.state is State.ERROR:
        report.failed[response.error or "no message"] += 1
    else:
        report.count("score", response)


def extract_probe(probe: Probe, store: Store) -> ProbeExtract:
    """Read the table of a partition. Makes no call and writes nothing."""
    waiting = tuple(_open(probe, store))
    if waiting or not probe.calls:
        return ProbeExtract(empty(TABLE), len(probe.calls), waiting, False, {TABLE.name: Cost()})
    answered = [
        (question_id, call, answer)
        for question_id, calls in probe.calls.items()
        for call, answer in _answers(calls, store)
        if answer is not None
    ]
    rows = [_row(question_id, call, answer) for question_id, call, answer in answered]
    used = {
        (call.request.group.key, call.request.tail, call.request.draw): answer for _, call, answer in answered
    }
    layers = (store.layer_of(call.request) for calls in probe.calls.values() for call in calls)
    draft = any(layer is not None and not layer.frozen for layer in layers)
    frame = pd.DataFrame(rows, dtype=object).assign(study=probe.study, benchmark=probe.benchmark)
    costs = {TABLE.name: cost_of(used.values())}
    return ProbeExtract(conform(frame, TABLE), len(probe.calls), (), draft, costs)


def _calls(partition: Partition, question: Question, number: int, item: ProbeItem) -> Iterator[Asked]:
    asks, score_set = partition.asking, partition.study.score_sets[0]
    for judge in partition.study.judges:
        group = asks.judged(question, item.prefix, judge, score_set.decoding)
        yield Asked(number, item, judge.name, asks.score(group, item.text, score_set))


def _answers(calls: Sequence[Asked], store: Store) -> Iterator[tuple[Asked, Response | None]]:
    yield from zip(calls, store.get_many([call.request for call in calls]), strict=True)


def _open(probe: Probe, store: Store) -> list[str]:
    """Ids of the questions that lack a reply."""
    return [
        question_id
        for question_id, calls in probe.calls.items()
        if any(answer is None for _, answer in _answers(calls, store))
    ]


def _row(question_id: str, call: Asked, answer: Response) -> dict[str, object]:
    item, parsed = call.item, parse_score(answer.text, answer.finish)
    return {
        "question_id": question_id,
        "item": call.number,
        "depth": item.depth,
        "kind": item.kind,
        "held_out": item.held_out,
        "text": item.text,
        "true_of_scene": item.true_of_scene,
        "follows": item.follows,
        "sound": item.sound,
        "judge": call.judge,
        "reply": answer.text,
        "score": parsed.score,
        "reason": None if parsed.reason is None else str(parsed.reason),
    }
