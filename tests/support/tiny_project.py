"""A project on disk that is small in extent and whole in kind, answered by the engine that makes answers up.

Nothing here may ever reach a report that is shipped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import duckdb
import pandas as pd
import yaml
from rollout_world import BENCHMARK, STRATEGIES, ToyEngine, toy_params, toy_question

from verdict_assets.config.paths import Project
from verdict_assets.inference.engines.protocol import Engine
from verdict_assets.inference.store import Store
from verdict_assets.orchestration.build import Overrides
from verdict_assets.orchestration.engines import Engines, RolloutConfig
from verdict_assets.orchestration.resources import ProjectResource
from verdict_assets.orchestration.setting import Setting

QUESTIONS = 5
STUDY = "tiny"
TOY = {"ops": {"ask_models": {"config": {"engine": "toy"}}}}
"""Run configuration: let the toy answer."""

Run = Callable[..., dg.ExecuteInProcessResult]
"""run(project, job, config=None, fails=False, **options of execute_in_process)."""


class ToyEngines(Engines):
    """Opens the toy, whatever engine is named; `replay` alone stays what it is."""

    def open(self, config: RolloutConfig, setting: Setting, store: Store) -> Engine:
        if config.engine == "replay":
            return super().open(config, setting, store)
        return ToyEngine()


def make_project(root: Path, questions: int = QUESTIONS, studies: tuple[str, ...] = (STUDY,)) -> Project:
    """Write parameters, studies, weights and questions below `root`."""
    (root / "studies").mkdir(parents=True)
    (root / "params.yaml").write_text(yaml.safe_dump(toy_params().mapping()))
    for name in studies:
        write_study(root, name, questions)
    weights = root / "data" / "weights" / "toy"
    weights.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "model.safetensors", "chat_template.jinja"):
        (weights / name).write_text("{}")
    _write_questions(Project(root), questions)
    return Project(root)


def write_study(root: Path, name: str, questions: int = QUESTIONS, seed: int = 0) -> None:
    judges = ("visual", "logical", "contextual")
    study = {
        "name": name,
        "title": f"Study {name}",
        "dtype": "float32",
        "image_recipe": "toy-1",
        "base": {"model": "toy", "prompt": "scenes/base.txt"},
        "judges": [{"name": judge, "model": "toy", "prompt": f"scenes/{judge}.txt"} for judge in judges],
        "generation": {"temperature": 0.8, "top_p": 0.6, "max_tokens": 40, "seed": seed},
        "judge_decoding": [{"name": "greedy", "temperature": 0.0, "top_p": 1.0, "max_tokens": 8}],
        "benchmarks": {BENCHMARK: questions},
        "strategies": list(STRATEGIES),
    }
    (root / "studies" / f"{name}.yaml").write_text(yaml.safe_dump(study))


def overrides(project: Project) -> Overrides:
    return Overrides(project=ProjectResource(root=str(project.root)), engines=ToyEngines())


def _write_questions(project: Project, count: int) -> None:
    rows = pd.DataFrame(
        {
            "position": number,
            "question_id": question.question_id,
            "type": question.type,
            "question": question.question,
            "options": list(question.options),
            "gold": question.gold,
            "image_sha256": list(question.image_sha256),
            "images": [str(number).encode()],
        }
        for number, question in enumerate(map(toy_question, range(count)))
    )
    project.benchmarks.mkdir(parents=True)
    with duckdb.connect() as connection:
        connection.register("rows", rows)
        path = project.benchmarks / f"{BENCHMARK}.parquet"
        connection.execute(f"COPY (SELECT * FROM rows) TO '{path}' (FORMAT parquet)")
