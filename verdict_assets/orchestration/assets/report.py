"""`report`: the page that people read and the ledger of its numbers.

Belongs here: between Dagster and the report's files. Does not: how they are made (orchestration/report.py).
"""

import dagster as dg

from verdict_assets.orchestration.picture import accuracy_pictures
from verdict_assets.orchestration.registry import asset_attributes
from verdict_assets.orchestration.report import FILES, INPUTS, make_report, record_lineage
from verdict_assets.orchestration.resources import ProjectResource, told_to_the_user

NAME = "report"


@dg.asset(
    name=NAME,
    deps=list(INPUTS),
    **asset_attributes(NAME),
)
def report(context: dg.AssetExecutionContext, project: ProjectResource) -> dg.MaterializeResult:
    """Write the report, or find that it shows the present tables."""
    with told_to_the_user():
        setting = project.setting()
        made = make_report(setting)
        record_lineage(setting, made, context.run.run_id, context.run.job_name)
        pictures = accuracy_pictures(setting)
    folder = setting.project.reports
    numbers, page = (folder / name for name in FILES)
    return dg.MaterializeResult(
        metadata={
            "dagster/uri": page.relative_to(setting.project.root).as_posix(),
            "page": dg.MetadataValue.path(page),
            "ledger": dg.MetadataValue.path(numbers),
            "numbers": made.stamp.rows,
            "accuracy": dg.MetadataValue.md(pictures),
            "fingerprint": made.stamp.fingerprint,
            "reused": made.reused,
            **made.stamp.facts,
        },
        data_version=dg.DataVersion(made.stamp.rows_sha256),
    )
