"""`warehouse`: every table in one DuckDB file.

Belongs here: between Dagster and the building of the file. Does not: how it is built
(orchestration/warehouse.py).
"""

import dagster as dg

from verdict_assets.orchestration.registry import asset_attributes
from verdict_assets.orchestration.resources import ProjectResource, told_to_the_user
from verdict_assets.orchestration.warehouse import build_warehouse
from verdict_assets.schemas.catalogue import TABLES

NAME = "warehouse"
UPSTREAM = [name for name, table in TABLES.items() if not table.partitioned]


@dg.asset(
    name=NAME,
    deps=UPSTREAM,
    **asset_attributes(NAME),
)
def warehouse(project: ProjectResource) -> dg.MaterializeResult:
    """Build the file, or find that it holds the present tables."""
    with told_to_the_user():
        setting = project.setting()
        made = build_warehouse(setting)
    return dg.MaterializeResult(
        metadata={
            "rows": made.stamp.rows,
            "tables": len(TABLES),
            "dagster/uri": setting.project.warehouse.relative_to(setting.project.root).as_posix(),
            "fingerprint": made.stamp.fingerprint,
            "reused": made.reused,
        },
        data_version=dg.DataVersion(made.stamp.rows_sha256),
    )
