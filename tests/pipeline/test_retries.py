"""A lost engine is the one failure after which the step runs again."""

from pathlib import Path

import dagster as dg
import pytest
from rollout_world import ToyEngine
from tiny_project import ToyEngines, make_project, overrides

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.store import Store
from verdict_assets.orchestration.build import Overrides, build_defs
from verdict_assets.orchestration.engines import RolloutConfig
from verdict_assets.orchestration.setting import Setting

OPENED: list[int] = []


class FailingEngines(ToyEngines):
    """The first engines are lost after a few answers, or cannot be opened for another reason."""

    lost: int = 0
    error: str = ""

    def open(self, config: RolloutConfig, setting: Setting, store: Store) -> Engine:
        OPENED.append(len(OPENED))
        if self.error == "user":
            raise UserError("no such engine", remedy="name another")
        if self.error == "bug":
            raise ZeroDivisionError
        return ToyEngine(lost_after=5 if len(OPENED) <= self.lost else None)


def rollout(folder: Path, instance: dg.DagsterInstance, **engines: object) -> dg.ExecuteInProcessResult:
    OPENED.clear()
    project = make_project(folder / "project", questions=1)
    usual = overrides(project)
    job = build_defs(Overrides(usual.project, FailingEngines(**engines))).resolve_job_def("rollout")
    config: dict[str, object] = {"engine": "toy", "retry_after": 0.0}
    return job.execute_in_process(
        run_config={
            "ops": {"ask_models": {"config": config}},
            "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
        },
        partition_key=dg.MultiPartitionKey({"benchmark": "toy", "study": "tiny"}),
        instance=instance,
        raise_on_error=False,
    )


def retries(result: dg.ExecuteInProcessResult) -> int:
    return sum(event.event_type_value == "STEP_UP_FOR_RETRY" for event in result.all_node_events)


def test_a_lost_engine_is_opened_again_and_goes_on(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    result = rollout(tmp_path, instance, lost=2)
    assert result.success
    assert (len(OPENED), retries(result)) == (3, 2)


def test_an_engine_that_stays_away_is_told_to_the_user(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    result = rollout(tmp_path, instance, lost=9)
    assert not result.success
    assert (len(OPENED), retries(result)) == (3, 2)
    told = [event.step_failure_data for event in result.all_node_events if event.is_step_failure][-1]
    assert "what was answered is kept" in str(told.user_failure_data.description)


@pytest.mark.parametrize("error", ["user", "bug"])
def test_nothing_else_is_tried_again(tmp_path: Path, instance: dg.DagsterInstance, error: str) -> None:
    result = rollout(tmp_path, instance, error=error)
    assert not result.success
    assert (len(OPENED), retries(result)) == (1, 0)
