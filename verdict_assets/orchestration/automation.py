"""What starts `recompute` without anybody asking: once a week, and when a layer was frozen.

Both are off until switched on in the UI, or with `dagster schedule start` and `dagster sensor start`, and
they need the daemon. Belongs here: when a job starts by itself. Does not: jobs, and anything that would ask a
model, which only a person begins.
"""

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from verdict_assets.config.fingerprint import fingerprint
from verdict_assets.inference.store.files import MANIFEST, sha256_file
from verdict_assets.orchestration.extraction import layers
from verdict_assets.orchestration.resources import ProjectResource, told_to_the_user
from verdict_assets.orchestration.setting import Setting

# Monday before work: numbers that moved over the week's commits are seen when it begins.
WEEKLY = "0 5 * * 1"


def weekly(recompute: UnresolvedAssetJobDefinition) -> dg.ScheduleDefinition:
    """The schedule of `recompute`, which costs seconds where nothing has changed."""
    return dg.ScheduleDefinition(
        name="weekly_recompute",
        job=recompute,
        cron_schedule=WEEKLY,
        description="Every table and the report once a week; what is up to date is reused.",
    )


def on_frozen_layer(recompute: UnresolvedAssetJobDefinition, seconds: int) -> dg.SensorDefinition:
    """The sensor that looks every so many seconds whether a layer was frozen, and recomputes if so."""

    @dg.sensor(
        name="newly_frozen_layer",
        job=recompute,
        minimum_interval_seconds=seconds,
        description="Recomputes when the frozen layers are other ones than at the last look.",
    )
    def sensor(
        context: dg.SensorEvaluationContext, project: ProjectResource
    ) -> dg.SensorResult | dg.SkipReason:
        with told_to_the_user():
            found = frozen_version(project.setting())
        if found is None:
            return dg.SkipReason("there is no frozen layer")
        if found == context.cursor:
            return dg.SkipReason("the frozen layers are those of the last look")
        # No run key: a layer that is put back to what it was once must be computed again.
        return dg.SensorResult(run_requests=[dg.RunRequest()], cursor=found)

    return sensor


def frozen_version(setting: Setting) -> str | None:
    """One hash for what the manifests of all frozen layers say; None without any.

    Raises:
        UserError: a layer that git names is not here.
    """
    manifests = {
        layer.path.relative_to(setting.project.root).as_posix(): sha256_file(layer.path / MANIFEST)
        for layer in layers(setting)
        if layer.frozen and (layer.path / MANIFEST).is_file()
    }
    return fingerprint(manifests) if manifests else None
