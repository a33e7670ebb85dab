"""`candidates`, `raw_scores`, `answers`, `judge_probe`: what models fill, one partition or all of them.

Belongs here: between a run's configuration and a rollout, and between partitions and their tables. Does
not: what is asked (rollout), which engine answers (engines.py), reading the store into tables
(extraction.py).
"""

from collections.abc import Iterator, Mapping

import dagster as dg
from dagster._core.definitions.metadata import RawMetadataValue

from verdict_assets.config.fingerprint import fingerprint
from verdict_assets.config.studies import StudySpec
from verdict_assets.orchestration.checks import schema_result, schema_spec
from verdict_assets.orchestration.display import column_metadata, table_metadata
from verdict_assets.orchestration.engines import Engines, RolloutConfig, roll_out, tried_again
from verdict_assets.orchestration.extraction import PARTITIONED, Extraction, Pair
from verdict_assets.orchestration.partitions import pair_of, partitions
from verdict_assets.orchestration.recipe import Made
from verdict_assets.orchestration.registry import GPU_POOL, asset_attributes
from verdict_assets.orchestration.resources import ProjectResource, told_to_the_user
from verdict_assets.orchestration.setting import Setting
from verdict_assets.schemas.catalogue import TABLES

# The step's name, under which a run's configuration addresses it.
STEP = "ask_models"  # not `rollout`, which is the job: Dagster takes both names from one pool


def model_asset(studies: Mapping[str, StudySpec]) -> dg.AssetsDefinition:
    """The multi-asset over all partitions of the given studies."""

    @dg.multi_asset(
        name=STEP,
        specs=[
            dg.AssetSpec(
                name,
                deps=["questions"],
                metadata=column_metadata(TABLES[name]),
                **asset_attributes(name),
            )
            for name in PARTITIONED
        ],
        check_specs=[schema_spec(name) for name in PARTITIONED],
        partitions_def=partitions(studies),
        # One run may take any range of partitions, so that models are loaded once.
        backfill_policy=dg.BackfillPolicy.single_run(),
        pool=GPU_POOL,
    )
    def asset(
        context: dg.AssetExecutionContext, config: RolloutConfig, project: ProjectResource, engines: Engines
    ) -> Iterator[dg.MaterializeResult]:
        with told_to_the_user(), tried_again(context.retry_number, config, context.log):
            setting = project.setting()
            pairs = {key: pair_of(key) for key in context.partition_keys if pair_of(key) in setting.pairs}
            chosen = [pair for pair in pairs.values() if _chosen(pair, config)]
            reports = roll_out(setting, chosen, config, engines, context.run.run_id, context.log)
            extraction = Extraction(setting)
            made = {key: extraction.partition(pair) for key, pair in pairs.items()}
        for name in PARTITIONED:
            for key, tables in made.items():
                shown = _shown(setting, name, pairs[key], tables[name])
                context.add_asset_metadata(
                    shown | reports.get(pairs[key], {}), asset_key=name, partition_key=key
                )
            yield _result(setting, name, {pairs[key]: tables[name] for key, tables in made.items()})

    return asset


def _chosen(pair: Pair, config: RolloutConfig) -> bool:
    study, benchmark = pair
    return (config.studies is None or study in config.studies) and (
        config.benchmarks is None or benchmark in config.benchmarks
    )


def _shown(setting: Setting, name: str, pair: Pair, made: Made) -> dict[str, RawMetadataValue]:
    path = setting.project.partition(name, *pair)
    shown = table_metadata(TABLES[name], path, setting.project.root, made.stamp, reused=made.reused)
    return shown | dict(made.stamp.facts)


def _result(setting: Setting, name: str, made: Mapping[Pair, Made]) -> dg.MaterializeResult:
    """One version for all partitions of the run, since Dagster takes no more: the hash of theirs together.

    Each partition's own stands in its metadata, and those are what `score_manifest` rests on.
    """
    versions = {"/".join(pair): one.stamp.rows_sha256 for pair, one in sorted(made.items())}
    version = next(iter(versions.values())) if len(versions) == 1 else fingerprint(versions)
    paths = [setting.project.partition(name, *pair) for pair in made]
    return dg.MaterializeResult(
        asset_key=name,
        data_version=dg.DataVersion(version),
        check_results=[schema_result(name, TABLES[name], paths)],
    )
