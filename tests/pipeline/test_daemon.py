"""What starts `recompute` by itself, with Dagster's own daemon: the week, and a newly frozen layer."""

import time

import dagster as dg
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.scheduler.instigation import ScheduleInstigatorData, TickStatus
from dagster_home import command, furnish, history, running, wait_for

from verdict_assets.config.paths import Project
from verdict_assets.inference.recorded_with import recorded_with
from verdict_assets.inference.store import Layer
from verdict_assets.inference.store.freeze import freeze
from verdict_assets.orchestration.automation import WEEKLY

SCHEDULE, SENSOR = "weekly_recompute", "newly_frozen_layer"
A_WEEK_AND_A_DAY = 8 * 24 * 3600


def switch_on(project: Project) -> None:
    """As a user does it."""
    started = [
        command(project, "dagster", "schedule", "start", SCHEDULE),
        command(project, "dagster", "sensor", "start", SENSOR),
    ]
    assert [process.wait(300) for process in started] == [0, 0], (project.root / "dagster.log").read_text()


def pretend_that_it_was_on_for_a_week(instance: dg.DagsterInstance) -> None:
    """So that the tick of the week is due, and the daemon makes up for it at once."""
    [state] = instance.all_instigator_state(instigator_type=InstigatorType.SCHEDULE)
    since = ScheduleInstigatorData(WEEKLY, start_timestamp=time.time() - A_WEEK_AND_A_DAY)
    instance.update_instigator_state(state.with_data(since))


def finished(instance: dg.DagsterInstance, tag: str, name: str) -> list[dg.DagsterRun]:
    """The finished runs that an instigator has started; none while one is under way."""
    runs = instance.get_runs(dg.RunsFilter(tags={tag: name}))
    return runs if all(run.is_finished for run in runs) else []


def test_the_week_and_a_frozen_layer_each_start_recompute(closed: Project) -> None:
    furnish(closed)
    switch_on(closed)
    log = closed.root / "dagster-daemon.log"
    with history(closed) as instance:
        pretend_that_it_was_on_for_a_week(instance)
        with running(closed, "dagster-daemon", "run"):
            weekly = wait_for(lambda: finished(instance, "dagster/schedule_name", SCHEDULE), log=log)
            sensor = wait_for(lambda: instance.all_instigator_state(instigator_type=InstigatorType.SENSOR))[0]

            def ticks(status: TickStatus) -> int:
                return sum(
                    tick.status is status
                    for tick in instance.get_ticks(sensor.instigator_origin_id, sensor.selector_id)
                )

            wait_for(lambda: ticks(TickStatus.SKIPPED), log=log)  # no layer is frozen yet
            assert ticks(TickStatus.SUCCESS) == 0
            freeze(closed.recorded_store, [Layer(closed.open_layer, frozen=False)], recorded_with(closed))
            frozen = wait_for(lambda: finished(instance, "dagster/sensor_name", SENSOR), log=log)
            looks = ticks(TickStatus.SKIPPED)
            wait_for(lambda: ticks(TickStatus.SKIPPED) > looks, log=log)  # it looks again, at the same layer
        assert ticks(TickStatus.SUCCESS) == 1
        runs = [*weekly, *frozen]
        assert [(run.job_name, run.status) for run in runs] == [
            ("recompute", dg.DagsterRunStatus.SUCCESS)
        ] * len(runs)
        assert len(frozen) == 1
        assert 1 <= len(weekly) <= 2  # a week and a day hold one or two of its hours
