"""What the UI says of a run: checks of every asset, metadata, and that a check can be run alone."""

import dagster as dg
import pytest
from tiny_project import STUDY, Run, overrides

from verdict_assets.config.paths import Project
from verdict_assets.orchestration.build import build_defs
from verdict_assets.orchestration.checks import CHECKS
from verdict_assets.schemas.catalogue import TABLES


def evaluations(result: dg.ExecuteInProcessResult) -> dict[tuple[str, str], bool]:
    return {
        (found.asset_key.to_user_string(), found.check_name): found.passed
        for found in result.get_asset_check_evaluations()
    }


def test_every_check_of_a_recompute_passes(closed: Project, run: Run) -> None:
    found = evaluations(run(closed, "recompute"))
    schemas = {(name, "schema") for name, table in TABLES.items() if not table.partitioned}
    assert set(found) == schemas | {(check.asset, check.name) for check in CHECKS}
    assert all(found.values())


def test_a_check_can_be_run_alone_and_says_what_is_wrong(
    closed: Project, instance: dg.DagsterInstance
) -> None:
    """A table that is not there fails its check, and not the step."""
    closed.table("selections").unlink()
    keys = [
        dg.AssetCheckKey(dg.AssetKey("outcomes"), name)
        for name in ("paths_have_all_steps", "no_lost_questions")
    ]
    definitions = build_defs(overrides(closed))
    job = dg.define_asset_job("some_checks", dg.AssetSelection.checks(*keys))
    result = (
        dg.Definitions.merge(definitions, dg.Definitions(jobs=[job]))
        .resolve_job_def("some_checks")
        .execute_in_process(
            instance=instance, run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        )
    )
    assert evaluations(result) == {
        ("outcomes", "paths_have_all_steps"): False,
        ("outcomes", "no_lost_questions"): True,
    }
    [failed] = [found for found in result.get_asset_check_evaluations() if not found.passed]
    assert "selections is missing" in str(failed.metadata["first"].value)


def test_frozen_data_that_were_changed_fail_their_check(
    closed: Project, instance: dg.DagsterInstance
) -> None:
    shard = sorted(closed.open_layer.glob("shard-*.parquet"))[0]
    shard.write_bytes(shard.read_bytes() + b"x")
    [check] = [check for check in CHECKS if check.name == "frozen_data_unchanged"]
    key = dg.AssetCheckKey(dg.AssetKey(check.asset), check.name)
    job = dg.define_asset_job("one_check", dg.AssetSelection.checks(key))
    definitions = dg.Definitions.merge(build_defs(overrides(closed)), dg.Definitions(jobs=[job]))
    result = definitions.resolve_job_def("one_check").execute_in_process(instance=instance)
    [found] = result.get_asset_check_evaluations()
    assert not found.passed
    assert shard.name in str(found.metadata["first"].value)


@pytest.mark.parametrize("reused", [True, False])
def test_what_is_shown_of_a_table_and_of_the_report(closed: Project, run: Run, reused: bool) -> None:
    if not reused:
        closed.table("main_comparison").unlink()
        (closed.reports / "index.html").unlink()
    shown = {
        event.asset_key.to_user_string(): event.materialization.metadata
        for event in run(closed, "recompute").get_asset_materialization_events()
    }
    table, report = shown["main_comparison"], shown["report"]
    assert (table["reused"].value, report["reused"].value) == (reused, reused)
    assert table["dagster/row_count"].value == 16
    assert table["preview"].value.startswith("| study | benchmark |")
    assert f"| {STUDY} | toy |" in table["preview"].value
    assert len(str(table["fingerprint"].value)) == 64
    assert report["accuracy"].value.count("![Accuracy on toy, study tiny](data:image/png;base64,") == 1


def test_every_made_table_shows_where_its_columns_come_from(finished: Project) -> None:
    graph = build_defs(overrides(finished)).resolve_asset_graph()
    shown = {name: graph.get(dg.AssetKey(name)).metadata.get("dagster/column_lineage") for name in TABLES}
    assert shown.pop("questions") is None  # it is read from files
    assert all(isinstance(lineage, dg.TableColumnLineage) for lineage in shown.values())
