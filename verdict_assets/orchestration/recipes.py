"""The recipes of `questions` and of all tables right of the manifest: which function makes each, of what.

Belongs here: one `Recipe` a table. Does not: the functions (analysis, benchmarks), running them (recipe.py).
"""

from collections.abc import Mapping

import pandas as pd

from verdict_assets.analysis import (
    consensus,
    main_comparison,
    outcomes,
    selections,
    world_diagnostics,
)
from verdict_assets.benchmarks.truth import build_step_labels
from verdict_assets.config.fingerprint import file_hashes
from verdict_assets.orchestration.questions import question_files, question_rows
from verdict_assets.orchestration.recipe import Inputs, Recipe
from verdict_assets.orchestration.setting import Setting
from verdict_assets.schemas.catalogue import TABLES


def _question_files(setting: Setting) -> Mapping[str, object]:
    return {"files": file_hashes(question_files(setting), setting.project.root)}


def _studies(setting: Setting) -> Mapping[str, object]:
    return {"studies": {name: study.mapping() for name, study in setting.studies.items()}}


def _statistics(setting: Setting) -> Mapping[str, object]:
    return {"params": {"statistics": setting.params.mapping()["statistics"]}}


def _judging(setting: Setting) -> Mapping[str, object]:
    """Who judges, and how stubborn each judge is."""
    judges = {name: {"judges": study.mapping()["judges"]} for name, study in setting.studies.items()}
    return {"studies": judges, "params": {"consensus": setting.params.mapping()["consensus"]}}


def _choosing(setting: Setting) -> Mapping[str, object]:
    """All that a strategy's choice may depend on: everything but the statistics made afterwards."""
    params = {name: value for name, value in setting.params.mapping().items() if name != "statistics"}
    return {**_studies(setting), "params": params}


def _step_labels(inputs: Inputs) -> pd.DataFrame:
    return build_step_labels(inputs["candidates"], inputs.setting.project.root)


def _consensus(inputs: Inputs) -> pd.DataFrame:
    return consensus.build(inputs["raw_scores"], inputs.setting.studies, inputs.setting.params)


def _selections(inputs: Inputs) -> pd.DataFrame:
    recorded = (inputs["candidates"], inputs["raw_scores"], inputs["answers"], inputs["questions"])
    return selections.build(*recorded, studies=inputs.setting.studies, params=inputs.setting.params)


def _outcomes(inputs: Inputs) -> pd.DataFrame:
    recorded = (inputs["candidates"], inputs["raw_scores"], inputs["answers"], inputs["questions"])
    return outcomes.build(*recorded, studies=inputs.setting.studies, params=inputs.setting.params)


def _world_diagnostics(inputs: Inputs) -> pd.DataFrame:
    recorded = (inputs["candidates"], inputs["raw_scores"], inputs["answers"])
    derived = (inputs["step_labels"], inputs["selections"], inputs["outcomes"], inputs["judge_probe"])
    return world_diagnostics.build(
        *recorded, *derived, studies=inputs.setting.studies, statistics=inputs.setting.params.statistics
    )


def _main_comparison(inputs: Inputs) -> pd.DataFrame:
    return main_comparison.build(inputs["outcomes"], inputs.setting.params.statistics)


QUESTIONS = Recipe(
    table=TABLES["questions"],
    inputs=(),
    modules=(question_rows.__module__,),
    reads=_question_files,
    build=lambda inputs: question_rows(inputs.setting),
)
STEP_LABELS = Recipe(
    table=TABLES["step_labels"],
    inputs=("candidates",),
    modules=(build_step_labels.__module__,),
    reads=_question_files,  # the scene behind each picture stands in the question files
    build=_step_labels,
)
CONSENSUS = Recipe(
    table=TABLES["consensus"],
    inputs=("raw_scores",),
    modules=(consensus.__name__,),
    reads=_judging,
    build=_consensus,
)
SELECTIONS = Recipe(
    table=TABLES["selections"],
    inputs=("candidates", "raw_scores", "answers", "questions"),
    modules=(selections.__name__,),
    reads=_choosing,
    build=_selections,
)
OUTCOMES = Recipe(
    table=TABLES["outcomes"],
    inputs=("candidates", "raw_scores", "answers", "questions"),
    modules=(outcomes.__name__,),
    reads=_choosing,
    build=_outcomes,
)
WORLD_DIAGNOSTICS = Recipe(
    table=TABLES["world_diagnostics"],
    inputs=("candidates", "raw_scores", "answers", "step_labels", "selections", "outcomes", "judge_probe"),
    modules=(world_diagnostics.__name__,),
    reads=lambda setting: {**_studies(setting), **_statistics(setting)},
    build=_world_diagnostics,
)
MAIN_COMPARISON = Recipe(
    table=TABLES["main_comparison"],
    inputs=("outcomes",),
    modules=(main_comparison.__name__,),
    reads=_statistics,
    build=_main_comparison,
)
RECIPES = (QUESTIONS, STEP_LABELS, CONSENSUS, SELECTIONS, OUTCOMES, WORLD_DIAGNOSTICS, MAIN_COMPARISON)
