"""Rolling out partitions with the engine that a run's configuration names.

Belongs here: the configuration, and the resource that opens an engine (tests hand in another). Does not:
what is asked (rollout), or an engine itself (inference.engines, imported only when it is named).
"""

import io
from collections.abc import Sequence
from logging import Logger

import dagster as dg
from dagster._core.definitions.metadata import RawMetadataValue

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.store import Store
from verdict_assets.orchestration.extraction import Pair, open_store
from verdict_assets.orchestration.setting import Setting
from verdict_assets.rollout.engines import EngineChoice, open_engine
from verdict_assets.rollout.expand import Options, expand
from verdict_assets.rollout.partition import open_partition
from verdict_assets.rollout.progress import Progress
from verdict_assets.rollout.report import Report


class RolloutConfig(dg.Config):
    """How models are asked. Another value here gives the same bytes, or a table that is less complete."""

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
        UserError: the configuration is wrong, an answer is missing under `replay`, or the engine was lost.
            What was answered before is kept, and another run goes on from there.
    """
    if not pairs:
        return {}
    store = open_store(setting)
    engine = engines.open(config, setting, store)
    done = {}
    try:
        for study, benchmark in pairs:
            partition = open_partition(setting.project.root, study, benchmark, config.limit)
            options = Options(window=config.window, budget=config.budget, mixed=config.mixed)
            progress = Progress(_LogLines(log), len(partition.questions))
            report = expand(partition, store, engine, run_id=run_id, options=options, progress=progress)
            for line in report.lines():
                log.info(line)
            done[study, benchmark] = _shown(report)
            if report.stopped is not None and config.budget is None:
                raise UserError(
                    f"the rollout of {study} on {benchmark} stopped: {report.stopped}",
                    where=f"engine {config.engine}",
                    remedy="start the job again when the engine is back; what was answered is kept",
                )
    finally:
        engine.close()
    return done


def _shown(report: Report) -> dict[str, RawMetadataValue]:
    return {
        "requests_asked": report.asked,
        "requests_from_store": report.from_store,
        "requests_failed": sum(report.failed.values()),
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
