"""The three jobs: what they make, what they leave alone, and that equal inputs give equal bytes."""

import hashlib
import shutil
import time
from pathlib import Path

import dagster as dg
import pytest
import yaml
from tiny_project import STUDY, TOY, Run, make_project, write_study

from verdict_assets.analysis import consensus
from verdict_assets.config.paths import Project
from verdict_assets.orchestration.setting import read_setting
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import read_table

RIGHT_OF_THE_MANIFEST = {
    "score_manifest", "step_labels", "consensus", "selections", "outcomes", "world_diagnostics",
    "main_comparison", "report", "warehouse",
}  # fmt: skip


def materialised(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    """Asset -> whether it was reused."""
    return {
        event.asset_key.to_user_string(): bool(event.materialization.metadata["reused"].value)
        for event in result.get_asset_materialization_events()
    }


def made(result: dg.ExecuteInProcessResult) -> set[str]:
    return {name for name, reused in materialised(result).items() if not reused}


def hashes(folder: Path) -> dict[str, str]:
    """File -> hash; but for what says which run made the report."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".") and path.name != "lineage.json"
    }


def test_everything_makes_every_table_and_the_report(finished: Project) -> None:
    manifest = read_table(TABLES["score_manifest"], finished.table("score_manifest"))
    assert manifest["closed"].all()
    assert manifest.loc[manifest["rows"] > 0, "draft"].all()  # it rests on the open layer
    for name, table in TABLES.items():
        path = finished.partition(name, STUDY, "toy") if table.partitioned else finished.table(name)
        rows = read_table(table, path)
        # The toy benchmark has no scenes, so no truth.
        assert len(rows) > 0 or name in ("step_labels", "judge_probe")
    page = (finished.reports / "index.html").read_text()
    assert "VERDICT" in page
    assert "draft" in page.lower()


def test_nothing_is_done_twice(closed: Project, run: Run) -> None:
    before = hashes(closed.data)
    result = run(closed, "recompute")
    assert made(result) == set()
    assert set(materialised(result)) == {"questions", *RIGHT_OF_THE_MANIFEST}
    assert hashes(closed.data) == before


def test_doing_nothing_takes_seconds(closed: Project, run: Run) -> None:
    """Time of the processor, which other programs do not lengthen."""
    before = time.process_time()
    assert made(run(closed, "recompute")) == set()
    assert time.process_time() - before < 10


def test_a_reused_table_keeps_its_data_version(closed: Project, run: Run) -> None:
    versions = [
        {
            event.asset_key.to_user_string(): (event.materialization.tags or {})["dagster/data_version"]
            for event in run(closed, "recompute").get_asset_materialization_events()
        }
        for _ in range(2)
    ]
    assert versions[0] == versions[1]


def test_everything_that_is_derived_may_be_deleted(closed: Project, run: Run) -> None:
    before = hashes(closed.tables) | hashes(closed.reports)
    shutil.rmtree(closed.tables)
    shutil.rmtree(closed.reports)
    closed.warehouse.unlink()
    run(closed, "recompute")
    assert hashes(closed.tables) | hashes(closed.reports) == before


def test_an_edited_table_is_made_anew(closed: Project, run: Run) -> None:
    right = closed.table("main_comparison").read_bytes()
    closed.table("main_comparison").write_bytes(closed.table("outcomes").read_bytes())
    assert made(run(closed, "recompute")) == {"main_comparison"}
    assert closed.table("main_comparison").read_bytes() == right


def test_a_missing_partition_is_read_from_the_store_again(closed: Project, run: Run) -> None:
    path = closed.partition("raw_scores", STUDY, "toy")
    right = path.read_bytes()
    path.unlink()
    assert made(run(closed, "recompute")) == set()  # the partition's rows are what they were
    assert path.read_bytes() == right


def change(project: Project, **values: object) -> None:
    params = yaml.safe_load(project.params.read_text())
    for name, value in values.items():
        section, _, key = name.partition("__")
        if key:
            params[section][key] = value
        else:
            params[name] = value
    project.params.write_text(yaml.safe_dump(params))


def test_another_confidence_moves_only_what_has_intervals(closed: Project, run: Run) -> None:
    change(closed, statistics__confidence=0.9)
    assert made(run(closed, "recompute")) == {"world_diagnostics", "main_comparison", "report", "warehouse"}


def test_another_threshold_moves_what_chooses_by_it_and_nothing_else(closed: Project, run: Run) -> None:
    """What a model would still have to be asked may change as well: the manifest says so."""
    change(closed, consensus__tau=0.61)
    moved = made(run(closed, "recompute"))
    assert {"consensus", "selections", "outcomes"} <= moved
    assert moved.isdisjoint({"questions", "step_labels"})
    assert made(run(closed, "recompute")) == set()


def test_a_new_study_is_shown_as_unfinished(closed: Project, run: Run) -> None:
    write_study(closed.root, "second", seed=7)
    run(closed, "recompute")
    table = read_table(TABLES["main_comparison"], closed.table("main_comparison"))
    second = table[table["study"] == "second"]
    assert (second["closed"] == 0).all()
    assert second["accuracy"].isna().all()
    assert (second["bound_lower"] == 0).all() and (second["bound_upper"] == 1).all()
    first = table[table["study"] == STUDY]
    assert first["accuracy"].notna().all()


def test_rollout_and_recompute_are_everything(tmp_path: Path, finished: Project, run: Run) -> None:
    """Another order, window and way of naming the partition; the same bytes."""
    project = make_project(tmp_path / "project")
    config = {"ops": {"ask_models": {"config": {"engine": "toy", "window": 2}}}}
    run(project, "rollout", config, partition_key=dg.MultiPartitionKey({"benchmark": "toy", "study": STUDY}))
    run(project, "recompute")
    assert hashes(project.tables) == hashes(finished.tables)
    assert hashes(project.reports) == hashes(finished.reports)


def test_a_limit_leaves_the_rest_open(tmp_path: Path, run: Run) -> None:
    project = make_project(tmp_path / "project")
    config = {"ops": {"ask_models": {"config": {"engine": "toy", "limit": 2}}}}
    run(project, "everything", config)
    manifest = read_table(TABLES["score_manifest"], project.table("score_manifest"))
    grown = manifest[manifest["table_name"] != "judge_probe"]
    assert set(grown["questions_closed"]) == {2}
    assert not grown["closed"].any()
    run(project, "everything", TOY)
    assert read_table(TABLES["score_manifest"], project.table("score_manifest"))["closed"].all()


def test_replay_names_what_is_missing(tmp_path: Path, run: Run) -> None:
    project = make_project(tmp_path / "project")
    result = run(project, "everything", fails=True)
    assert "not in the store" in failure(result)


def test_replay_of_a_closed_study_asks_nobody(closed: Project, run: Run) -> None:
    assert made(run(closed, "everything")) == set()


def test_only_named_studies_are_asked(closed: Project, run: Run) -> None:
    write_study(closed.root, "second", seed=7)
    config = {"ops": {"ask_models": {"config": {"engine": "toy", "studies": [STUDY]}}}}
    run(closed, "everything", config)
    manifest = read_table(TABLES["score_manifest"], closed.table("score_manifest"))
    assert dict(manifest.groupby("study")["closed"].all()) == {STUDY: True, "second": False}


def failure(result: dg.ExecuteInProcessResult) -> str:
    return "\n".join(
        str(event.step_failure_data.user_failure_data.description)
        for event in result.all_node_events
        if event.is_step_failure and event.step_failure_data.user_failure_data
    )


def test_a_changed_shard_is_refused_although_nothing_would_be_read(closed: Project, run: Run) -> None:
    shard = sorted(closed.open_layer.glob("shard-*.parquet"))[0]
    shard.write_bytes(shard.read_bytes() + b"x")
    assert shard.name in failure(run(closed, "recompute", fails=True))


def test_a_user_error_says_what_to_do(closed: Project, run: Run) -> None:
    (closed.benchmarks / "toy.parquet").unlink()
    assert "what to do" in failure(run(closed, "recompute", fails=True))


def test_pairs_are_those_that_studies_declare(finished: Project) -> None:
    assert read_setting(finished).pairs == ((STUDY, "toy"),)


def test_a_table_that_breaks_a_rule_stays_what_it_was(
    closed: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule is held against the new file before that gets its name."""
    before = closed.table("consensus").read_bytes()
    built = consensus.build
    monkeypatch.setattr(consensus, "build", lambda *inputs: built(*inputs).iloc[1:])
    change(closed, consensus__tau=0.61)
    told = failure(run(closed, "recompute", fails=True))
    assert "Every judged candidate has its consensus" in told
    assert closed.table("consensus").read_bytes() == before
