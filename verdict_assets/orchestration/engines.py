"""Rolling out partitions with the engine that a run's configuration names.

Belongs here: the configuration, the resource that opens an engine (tests hand in another), and that a lost
engine is tried again. Does not: what is asked (rollout), or an engine itself (inference.engines, imported
only when it is named).
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from logging import Logger

import dagster as dg
from dagster._core.definitions.metadata import RawMetadataValue

from verdict_assets.inference.engines.protocol import Engine, EngineLost
from verdict_assets.inference.store import Store
from verdict_assets.orchestration.extraction import Pair, open_store
from verdict_assets.orchestration.setting import Setting
from verdict_assets.rollout.engines import EngineChoice, open_engine
from verdict_assets.rollout.expand import Options, expand
from verdict_assets.rollout.partition import Partition, open_partition
from verdict_assets.rollout.probe import ask_probe, open_probe
from verdict_assets.rollout.progress import Progress
from verdict_assets.rollout.report import Report


class RolloutConfig(dg.Config):
    """How models are asked. Another value here gives the same bytes, or a table that is less complete.

    retries: how often the step is run again after its engine was lost, each time `retry_after` seconds later.
    """

    engine: str = "replay"
    url: str | None = None
    limit: int | None = None
    batch_size: int | None = None
    threads: int | None = None
    window: int = 64
    budget: int | None = None
    mixed: bool = False
    studies: list[str] | None = None
    benchmarks: list[str] | None = None
    retries: int = 2
    retry_after: float = 30.0


class Engines(dg.ConfigurableResource):
    """Opens the engine that a run's configuration names. Tests hand in one that makes answers up."""

    def open(self, config: RolloutConfig, setting: Setting, store: Store) -> Engine:
        """The engine, ready to be asked. The caller closes it."""
        choice = EngineChoice(config.engine, config.url, config.batch_size, config.threads)
        return open_engine(choice, setting.project.root, setting.benchmarks, store)


def roll_out(
    setting: Setting, pairs: Sequence[Pair], config: RolloutConfig, engines: Engines, run_id: str, log: Logger
) -> dict[Pair, dict[str, RawMetadataValue]]:
    """Ask the engine for all that the given partitions still lack; what was done, by partition.

    Raises:
        UserError: the configuration is wrong, or an answer is missing under `replay`.
        EngineLost: the engine was lost. What was answered before is kept, and another run goes on from there.
    """
    if not pairs:
        return {}
    store = open_store(setting)
    engine = engines.open(config, setting, store)
    done = {}
    try:
        for study, benchmark in pairs:
            partition = open_partition(setting.project.root, study, benchmark, config.limit)
            reports = []
            for report in _reports(setting, partition, config, store, engine, run_id, log):
                reports.append(report)
                for line in report.lines():
                    log.info(line)
                if report.stopped is not None and not _spent(reports, config):
                    raise EngineLost(
                        f"the rollout of {study} on {benchmark} stopped: {report.stopped}",
                        where=f"engine {config.engine}",
                        remedy="start the job again when the engine is back; what was answered is kept",
                    )
            done[study, benchmark] = _shown(reports)
    finally:
        engine.close()
    return done


@contextmanager
def tried_again(attempt: int, config: RolloutConfig, log: Logger) -> Iterator[None]:
    """Asks Dagster to run the step again when the engine is lost, and for no other reason.

    Nothing was learned about what a lost engine did not answer, and what it did answer is kept: this is the
    one failure after which the same step may well succeed. `attempt` is 0 for the first.
    """
    try:
        yield
    except EngineLost as lost:
        if attempt >= config.retries:
            raise
        log.warning(
            "%s\ntrying again in %g s (%d of %d)", lost, config.retry_after, attempt + 1, config.retries
        )
        raise dg.RetryRequested(max_retries=config.retries, seconds_to_wait=config.retry_after) from lost


def _spent(reports: Sequence[Report], config: RolloutConfig) -> bool:
    """Whether a rollout that stopped early did so because its budget was spent."""
    return config.budget is not None and sum(report.asked for report in reports) >= config.budget


def _reports(
    setting: Setting,
    partition: Partition,
    config: RolloutConfig,
    store: Store,
    engine: Engine,
    run_id: str,
    log: Logger,
) -> Iterator[Report]:
    """Grow the trees of a partition, then ask its judges the probe with what is left of the budget."""
    options = Options(window=config.window, budget=config.budget, mixed=config.mixed)
    progress = Progress(_LogLines(log), len(partition.questions))
    grown = expand(partition, store, engine, run_id=run_id, options=options, progress=progress)
    yield grown
    probe = open_probe(setting.project.root, partition)
    if config.budget is not None:
        if grown.asked >= config.budget:
            return
        options = replace(options, budget=config.budget - grown.asked)
    if probe.calls:
        progress = Progress(_LogLines(log), len(probe.calls))
        yield ask_probe(probe, store, engine, run_id=run_id, options=options, progress=progress)


def _shown(reports: Sequence[Report]) -> dict[str, RawMetadataValue]:
    return {
        "requests_asked": sum(report.asked for report in reports),
        "requests_from_store": sum(report.from_store for report in reports),
        "requests_failed": sum(sum(report.failed.values()) for report in reports),
    }


class _LogLines(io.StringIO):
    """A stream that hands every line to a logger."""

    def __init__(self, log: Logger) -> None:
        super().__init__()
        self._log = log

    def write(self, text: str) -> int:
        for line in text.splitlines():
            if line.strip():
                self._log.info(line)
        return len(text)
