"""Puts the definitions together, from the studies of a project and with parts that a caller may replace.

Belongs here: `build_defs`. Does not: any asset, job or resource of its own.
"""

from dataclasses import dataclass

import dagster as dg

from verdict_assets.config.paths import find_project
from verdict_assets.orchestration.assets.models import model_asset
from verdict_assets.orchestration.assets.report import report
from verdict_assets.orchestration.assets.tables import table_assets
from verdict_assets.orchestration.assets.warehouse import warehouse
from verdict_assets.orchestration.automation import on_frozen_layer, weekly
from verdict_assets.orchestration.checks import rule_checks
from verdict_assets.orchestration.engines import Engines
from verdict_assets.orchestration.jobs import RECOMPUTE, jobs
from verdict_assets.orchestration.resources import ProjectResource


@dataclass(frozen=True, slots=True)
class Overrides:
    """What takes the place of the usual parts; the project decides which partitions there are.

    look_every: seconds between two looks for a newly frozen layer.
    """

    project: ProjectResource | None = None
    engines: Engines | None = None
    look_every: int = 60


def build_defs(overrides: Overrides | None = None) -> dg.Definitions:
    """All definitions of the project.

    Args:
        overrides: what takes the place of the usual parts.

    Raises:
        UserError: the project, its parameters or a study cannot be read.
    """
    parts = overrides or Overrides()
    project = parts.project or ProjectResource(root=str(find_project().root))
    studies = project.setting().studies
    return dg.Definitions(
        assets=[*table_assets(), model_asset(studies), warehouse, report],
        asset_checks=[rule_checks()],
        jobs=jobs(studies),
        schedules=[weekly(RECOMPUTE)],
        sensors=[on_frozen_layer(RECOMPUTE, parts.look_every)],
        resources={"project": project, "engines": parts.engines or Engines()},
        executor=dg.in_process_executor,
    )
