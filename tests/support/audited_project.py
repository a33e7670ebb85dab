"""A small project as a clone has it: frozen answers, a report with its record, and no derived table.

Nothing here may ever reach a report that is shipped.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml
from rollout_world import BENCHMARK, ToyEngine
from tiny_project import STUDY, make_project

from verdict_assets.config.paths import Project
from verdict_assets.config.versioned import LOCK, md5_of
from verdict_assets.inference.recorded_with import recorded_with
from verdict_assets.inference.store import Layer, Store
from verdict_assets.inference.store.freeze import freeze
from verdict_assets.orchestration.extraction import make_manifest
from verdict_assets.orchestration.recipe import make
from verdict_assets.orchestration.recipes import RECIPES
from verdict_assets.orchestration.report import make_report, record_lineage
from verdict_assets.orchestration.setting import read_setting
from verdict_assets.rollout.expand import expand
from verdict_assets.rollout.partition import open_partition

QUESTIONS = 4
ACCURACY = f"main_comparison/{STUDY}.{BENCHMARK}.verdict.greedy/accuracy"


def make_audited_project(root: Path) -> Project:
    """Answered by the toy, frozen, reported, locked; then everything derived is deleted."""
    project = make_project(root, QUESTIONS)
    store = Store.open(open_layer=project.open_layer)
    expand(open_partition(project.root, STUDY, BENCHMARK), store, ToyEngine(), run_id="rollout-1")
    freeze(project.recorded_store, [Layer(project.open_layer, frozen=False)], recorded_with(project))
    shutil.rmtree(project.open_layer)
    recompute(project, "run-1")
    lock(project)
    return project


def recompute(project: Project, run_id: str) -> None:
    """What the job of that name does, without Dagster and without leaving a table behind."""
    setting = read_setting(project)
    make(RECIPES[0], setting)
    make_manifest(setting)
    for recipe in RECIPES[1:]:
        make(recipe, setting)
    record_lineage(setting, make_report(setting), run_id, "recompute")
    shutil.rmtree(project.tables)


def lock(project: Project) -> None:
    """Write dvc.lock for what is versioned."""
    folders = {"store": project.recorded_store, "benchmarks": project.benchmarks, "weights": project.weights}
    outs = {
        name: {"path": path.relative_to(project.root).as_posix(), "md5": md5_of(path), "size": 0}
        for name, path in folders.items()
    }
    stages = {name: {"outs": [out]} for name, out in outs.items()}
    (project.root / LOCK).write_text(yaml.safe_dump({"schema": "2.0", "stages": stages}))
