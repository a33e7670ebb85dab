"""The whole asset graph, pinned: a change of it is seen in a diff of `graph.txt`.

After a wanted change: `VERDICT_UPDATE_SNAPSHOT=1 python -m pytest tests/pipeline/test_graph.py`.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.remote_representation.external_data import RepositorySnap
from tiny_project import overrides

from verdict_assets.config.paths import Project
from verdict_assets.orchestration.build import build_defs
from verdict_assets.schemas.catalogue import TABLES

SNAPSHOT = Path(__file__).with_name("graph.txt")


def lines(definitions: dg.Definitions) -> Iterator[str]:
    graph = definitions.resolve_asset_graph()
    for key in sorted(graph.get_all_asset_keys(), key=lambda key: key.to_user_string()):
        node = graph.get(key)
        parents = ", ".join(sorted(parent.to_user_string() for parent in node.parent_keys))
        yield f"{key.to_user_string()} <- {parents or '-'}"
        tags = ", ".join(f"{name}={value}" for name, value in sorted(visible(node.tags).items()))
        yield f"    group {node.group_name}, kinds {', '.join(sorted(node.kinds))}, tags {tags}"
        yield f"    owners {', '.join(node.owners)}, pools {', '.join(sorted(node.pools or ())) or '-'}"
        if node.partitions_def is not None:
            yield f"    partitions {', '.join(node.partitions_def.get_partition_keys())}"
        for check in sorted(graph.get_check_keys_for_assets({key}), key=lambda check: check.name):
            blocking = graph.get_check_spec(check).blocking
            yield f"    check {check.name}{' (blocking)' if blocking else ''}"
    for job in sorted(definitions.resolve_all_job_defs(), key=lambda job: job.name):
        if not job.name.startswith("__"):
            selected = sorted(key.to_user_string() for key in job.asset_layer.selected_asset_keys)
            yield f"job {job.name}: {', '.join(selected)}"
    for schedule in definitions.schedules or ():
        yield f"schedule {schedule.name}: job {schedule.job_name} at {schedule.cron_schedule}"
    for sensor in definitions.sensors or ():
        yield f"sensor {sensor.name}: job {sensor.job_name} every {sensor.minimum_interval_seconds} s"


def visible(tags: Mapping[str, str]) -> dict[str, str]:
    """Without those that Dagster makes of the kinds."""
    return {name: value for name, value in tags.items() if not name.startswith("dagster/")}


def test_the_graph_is_the_pinned_one(finished: Project) -> None:
    found = "\n".join(lines(build_defs(overrides(finished)))) + "\n"
    if os.environ.get("VERDICT_UPDATE_SNAPSHOT"):
        SNAPSHOT.write_text(found)
    assert found == SNAPSHOT.read_text()


def test_every_table_is_an_asset_with_a_schema_and_a_code_version(finished: Project) -> None:
    graph = build_defs(overrides(finished)).resolve_asset_graph()
    for name in TABLES:
        node = graph.get(dg.AssetKey(name))
        columns = node.metadata["dagster/column_schema"].columns
        assert [column.name for column in columns] == list(TABLES[name].names)
        assert node.code_version
        assert node.description == TABLES[name].meaning


# Dagster reads a property of its own that it calls deprecated.
@pytest.mark.filterwarnings("ignore:Property `ScheduleDefinition.environment_vars`")
def test_the_web_server_can_be_told_of_the_definitions(finished: Project) -> None:
    """They travel to it as JSON, which refuses values that Python would take for texts."""
    repository = build_defs(overrides(finished)).get_repository_def()
    assert "main_comparison" in dg.serialize_value(RepositorySnap.from_def(repository))
