"""Groups, kinds, owners and pools of all assets, and their order, in one place.

Belongs here: what Dagster shows of an asset and is the same however the asset is made. Does not: how it is
made.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypedDict

from verdict_assets.config.fingerprint import fingerprint, sources

OWNER = "team:verdict"
# Enough digits of a hash to tell versions of one file apart.
_VERSION_DIGITS = 16

# The one pool: two rollouts at a time would share an accelerator and each other's memory.
GPU_POOL = "gpu"


class Group(StrEnum):
    """The three parts of the graph, left to right."""

    BENCHMARKS = "benchmarks"
    MODELS = "models"
    NUMBERS = "numbers"
    REPORT = "report"


GROUPS = {
    "questions": Group.BENCHMARKS,
    "candidates": Group.MODELS,
    "raw_scores": Group.MODELS,
    "answers": Group.MODELS,
    "judge_probe": Group.MODELS,
    "score_manifest": Group.NUMBERS,
    "step_labels": Group.NUMBERS,
    "consensus": Group.NUMBERS,
    "selections": Group.NUMBERS,
    "outcomes": Group.NUMBERS,
    "world_diagnostics": Group.NUMBERS,
    "main_comparison": Group.NUMBERS,
    "warehouse": Group.REPORT,
    "report": Group.REPORT,
}

KINDS = {"warehouse": {"python", "duckdb"}, "report": {"python", "html"}}
TABLE_KINDS = {"python", "parquet"}


class Attributes(TypedDict):
    """The arguments of a Dagster asset that this registry decides."""

    group_name: str
    kinds: set[str]
    owners: list[str]


def asset_attributes(name: str) -> Attributes:
    """What Dagster shows beside an asset's name."""
    return Attributes(group_name=GROUPS[name].value, kinds=KINDS.get(name, TABLE_KINDS), owners=[OWNER])


def code_version(modules: Sequence[str]) -> str:
    """Dagster's code version of an asset: changes with the source of any module that it uses."""
    return fingerprint(sources(modules))[:_VERSION_DIGITS]
