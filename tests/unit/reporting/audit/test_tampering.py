"""Whatever is changed behind a number is named, with the numbers it touches; what was frozen is refused."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import duckdb
import pytest
import yaml
from audited_project import ACCURACY, recompute
from tiny_project import STUDY

from verdict_assets.config import fingerprint
from verdict_assets.config.paths import Project
from verdict_assets.inference import recorded_with
from verdict_assets.inference.store.files import shard_name

TAU = "parameters/consensus/tau"
UNANIMOUS = "world_diagnostics/tiny.toy/unanimous"


def rewrite(path: Path, replaced: str) -> None:
    """Write a Parquet file anew with some columns replaced."""
    partial = path.with_suffix(".new")
    rows = f"SELECT * REPLACE ({replaced}) FROM read_parquet('{path}')"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{partial}' (FORMAT parquet)")
    partial.replace(path)


def the_shard(project: Project) -> Path:
    (shard,) = project.recorded_store.glob("shard-*.parquet")
    return shard


def another_score(project: Project) -> Path:
    """Turn every reply 0.9 of a judge into 0.1, in the shard alone."""
    shard = the_shard(project)
    changed = "CASE WHEN i.text = '0.9' THEN '0.1' ELSE i.text END"
    rewrite(shard, f"[struct_update(i, text := {changed}) FOR i IN items] AS items")
    return shard


def refused(found: dict, kind: str) -> dict:
    (change,) = [change for change in found["changes"] if change["kind"] == kind and change["refused"]]
    assert found["verified"] is False
    return change


def touches_recorded(change: dict) -> bool:
    """The numbers that rest on answers, and not those that show the configuration."""
    return {ACCURACY, UNANIMOUS} <= set(change["touches"]) and TAU not in change["touches"]


def test_a_changed_score(project, audit) -> None:
    shard = another_score(project)
    change = refused(audit("--all", "--verify", sound=False), "layer")
    assert shard.name in change["name"]
    assert touches_recorded(change)
    assert audit(ACCURACY, sound=False)["changes"] == [change]
    audit(TAU, "--verify")


def test_a_changed_reply_of_the_base_model(project, audit) -> None:
    shard = the_shard(project)
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    change = refused(audit(ACCURACY, "--verify", sound=False), "layer")
    assert "was changed" in change["name"]
    assert touches_recorded(change)


def test_a_changed_score_under_a_manifest_that_fits(project, audit, monkeypatch) -> None:
    shard = another_score(project)
    sha256 = hashlib.sha256(shard.read_bytes()).hexdigest()
    forged = shard.rename(shard.with_name(shard_name(1, sha256)))
    manifest = json.loads((project.recorded_store / "manifest.json").read_text())
    entry = manifest["shards"].pop(shard.name)
    manifest["shards"][forged.name] = {**entry, "sha256": sha256, "size": forged.stat().st_size}
    (project.recorded_store / "manifest.json").write_text(json.dumps(manifest))
    changes = audit(ACCURACY, sound=False)["changes"]
    assert "dvc.lock" in changes[0]["name"]
    assert [change["kind"] for change in changes] == ["versioned folder", "layer", "layer", "layer"]
    assert all(change["refused"] for change in changes)
    (project.root / "dvc.lock").unlink()
    found = audit("--all", "--verify", sound=False)
    assert {change["kind"] for change in found["changes"]} == {"layer"}
    assert found["verified"]
    assert "world_diagnostics/tiny.toy/score_visual_0.9" in {one["number"] for one in found["differences"]}


def test_a_layer_that_git_points_to_and_that_is_not_here(project, audit) -> None:
    (project.layers).mkdir()
    pointer = "outs: [{path: more, md5: ab.dir, size: 1, nfiles: 1}]"
    (project.layers / "more.dvc").write_text(pointer)
    change = refused(audit("--all", "--verify", sound=False), "layer")
    assert "a recorded layer is not here" in change["name"]
    assert touches_recorded(change)


def test_a_changed_byte_of_a_picture(project, audit) -> None:
    rewrite(project.benchmarks / "toy.parquet", "[images[1] || '\\x00'::BLOB] AS images")
    found = audit("--all", sound=False)
    changes = [change for change in found["changes"] if change["kind"] == "image"]
    assert [change["name"].split()[2] for change in changes] == ["q000,", "q001,", "q002,", "q003,"]
    assert all(touches_recorded(change) and change["refused"] for change in changes)
    assert touches_recorded(refused(found, "question file"))


def test_a_changed_gold_answer(project, audit) -> None:
    rewrite(project.benchmarks / "toy.parquet", "CASE WHEN position = 1 THEN 'D' ELSE gold END AS gold")
    found = audit("--all", "--verify", sound=False)
    assert touches_recorded(refused(found, "question file"))
    column = refused(found, "questions")
    assert column["name"] == "toy, column gold"
    assert touches_recorded(column)
    recompute(project, "run-2")  # does not make it right
    refused(audit(ACCURACY, sound=False), "question file")


def test_a_changed_prompt(project, audit, tmp_path, monkeypatch) -> None:
    prompts = Path(shutil.copytree(recorded_with._PROMPTS, tmp_path / "prompts"))
    (prompts / "scenes" / "visual.txt").write_text("Be kind. {question} {options} {trace} {candidate}")
    monkeypatch.setattr(recorded_with, "_PROMPTS", prompts)
    change = refused(audit("--all", "--verify", sound=False), "prompt")
    assert change["name"] == "prompts/scenes/visual.txt"
    assert touches_recorded(change)


@pytest.mark.parametrize("gone", [False, True])
def test_changed_weights(project, audit, gone: bool) -> None:
    weights = project.weights / "toy" / "model.safetensors"
    weights.unlink() if gone else weights.write_text("[]")
    found = audit("--all", "--verify", sound=False)
    change = refused(found, "weights")
    assert change["name"] == "data/weights/toy/model.safetensors"
    assert touches_recorded(change)


def test_a_model_card_is_no_weight(project, audit) -> None:
    (project.root / "dvc.lock").unlink()
    (project.weights / "toy" / "README.md").write_text("A toy.")
    audit("--all")


def parameter(project: Project, section: str, name: str, value: object) -> None:
    params = yaml.safe_load(project.params.read_text())
    params[section][name] = value
    project.params.write_text(yaml.safe_dump(params))


def test_a_changed_parameter_is_named_until_the_numbers_have_moved(project, audit) -> None:
    parameter(project, "consensus", "tau", 0.4)
    found = audit("--all", "--verify", sound=False)
    (change,) = found["changes"]
    assert (change["kind"], change["name"]) == ("parameter", "consensus.tau")
    assert (change["before"], change["after"], change["refused"]) == ("0.6", "0.4", False)
    assert {ACCURACY, TAU} <= set(change["touches"])
    assert "parameters/consensus/epsilon" not in change["touches"]
    moved = {one["number"] for one in found["differences"] if one["reported"]}
    assert TAU in moved and moved <= set(change["touches"])
    audit(TAU, sound=False)
    recompute(project, "run-2")
    assert audit(ACCURACY, "--verify")["run"]["run_id"] == "run-2"
    audit("--all", "--verify")


def test_a_parameter_of_the_statistics_does_not_touch_what_was_counted(project, audit) -> None:
    parameter(project, "statistics", "confidence", 0.9)
    (change,) = audit("--all", sound=False)["changes"]
    assert {number.split("/")[0] for number in change["touches"]} == {
        "main_comparison", "world_diagnostics", "parameters",
    }  # fmt: skip


def test_a_changed_study(project, audit) -> None:
    path = project.studies / f"{STUDY}.yaml"
    study = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**study, "strategies": study["strategies"][:-1]}))
    found = audit("--all", "--verify", sound=False)
    assert [(change["kind"], change["name"]) for change in found["changes"]] == [("study", "tiny.strategies")]
    gone = [one for one in found["differences"] if one["column"] == "id"]
    assert gone and all("permuted" in one["number"] and one["found"] == "" for one in gone)


def test_a_study_that_is_gone(project, audit) -> None:
    path = project.studies / f"{STUDY}.yaml"
    study = yaml.safe_load(path.read_text())
    (project.studies / "other.yaml").write_text(yaml.safe_dump({**study, "name": "other"}))
    path.unlink()
    found = audit(ACCURACY, "--verify", sound=False)
    assert {change["kind"] for change in found["changes"]} == {"study"}
    assert [one["found"] for one in found["differences"]] == [""]


@pytest.mark.parametrize(
    ("module", "tables"),
    [
        ("analysis/statistics/paired.py", {"main_comparison"}),
        ("analysis/diagnostics/choice.py", {"world_diagnostics"}),
        ("verification/consensus.py", {"main_comparison", "world_diagnostics", "score_manifest"}),
    ],
)
def test_changed_code(project, audit, tmp_path, monkeypatch, module: str, tables: set[str]) -> None:
    package = Path(shutil.copytree(fingerprint._FOLDER, tmp_path / "package"))
    with (package / module).open("a") as file:
        file.write("# A remark.\n")
    monkeypatch.setattr(fingerprint, "_FOLDER", package)
    (change,) = audit("--all", "--verify", sound=False)["changes"]
    assert change["kind"] == "module"
    assert change["name"] == "verdict_assets." + module.removesuffix(".py").replace("/", ".")
    assert {number.split("/")[0] for number in change["touches"]} == tables
    audit(TAU)
    recompute(project, "run-2")
    assert audit(ACCURACY)["run"]["run_id"] == "run-2"


def test_an_edited_ledger(project, audit) -> None:
    path = project.reports / "numbers.csv"
    lines = path.read_text().splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith(ACCURACY))
    lines[at] = lines[at].replace("share,", "share,0.9", 1)
    path.write_text("\n".join(lines) + "\n")
    found = audit("--all", "--verify", sound=False)
    assert [change["kind"] for change in found["changes"]] == ["ledger"]
    (difference,) = found["differences"]
    assert (difference["number"], difference["column"]) == (ACCURACY, "value")


def test_answers_of_the_open_layer_that_move_rows_are_noticed(project, audit) -> None:
    lineage = json.loads((project.reports / "lineage.json").read_text())
    lineage["partitions"]["tiny/toy"]["raw_scores"]["rows_sha256"] = "0" * 64
    (project.reports / "lineage.json").write_text(json.dumps(lineage))
    (change,) = audit(ACCURACY, sound=False)["changes"]
    assert (change["kind"], change["name"]) == ("rows of", "raw_scores tiny/toy")
