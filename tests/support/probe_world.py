"""A small project that asks a benchmark of the scenes world, so that its judges can be probed."""

from __future__ import annotations

from pathlib import Path

import yaml
from tiny_project import STUDY, make_project

from verdict_assets.config.paths import Project
from verdict_assets.scenes.build import write_benchmark

SCENES = "scenes_3d"
SCENES_QUESTIONS = 4


def make_scenes_project(root: Path) -> Project:
    """The tiny project, with its study asking scenes only and few strategies."""
    project = make_project(root)
    write_benchmark(SCENES, SCENES_QUESTIONS, project.benchmarks)
    path = project.root / "studies" / f"{STUDY}.yaml"
    study = yaml.safe_load(path.read_text())
    changed = {"benchmarks": {SCENES: SCENES_QUESTIONS}, "strategies": ["base", "verdict", "mean"]}
    path.write_text(yaml.safe_dump({**study, **changed}))
    return project
