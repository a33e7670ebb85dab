"""The jobs: `recompute` without a model, `rollout` a partition at a time, `everything` in one run.

Belongs here: which assets a job takes, and what it needs besides. Does not: assets.
"""

from collections.abc import Mapping

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from verdict_assets.config.studies import StudySpec
from verdict_assets.orchestration.extraction import PARTITIONED
from verdict_assets.orchestration.partitions import partitions, whole_range

RECOMPUTE = dg.define_asset_job(
    "recompute",
    dg.AssetSelection.all() - dg.AssetSelection.assets(*PARTITIONED),
    description="Every table and the report, from the store and without a model.",
    executor_def=dg.in_process_executor,
)


def jobs(studies: Mapping[str, StudySpec]) -> list[UnresolvedAssetJobDefinition]:
    """All jobs over the partitions of the given studies."""
    models = dg.AssetSelection.assets(*PARTITIONED)
    return [
        RECOMPUTE,
        dg.define_asset_job(
            "rollout",
            models,
            description="Ask models for what a study still lacks on a (benchmark, study).",
            executor_def=dg.in_process_executor,
        ),
        dg.define_asset_job(
            "everything",
            dg.AssetSelection.all(),
            description="Rollout of every partition, then everything that `recompute` makes, in one run.",
            tags=whole_range(partitions(studies)),
            executor_def=dg.in_process_executor,
        ),
    ]
