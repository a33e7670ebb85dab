"""Groups, kinds, owners, tags, descriptions, code versions and pools of all assets, in one place.

Belongs here: what Dagster shows of an asset and is the same however the asset is made. Does not: how it is
made.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypedDict

from verdict_assets.config.fingerprint import fingerprint, sources
from verdict_assets.orchestration import engines, extraction, warehouse
from verdict_assets.orchestration import report as report_files
from verdict_assets.orchestration.recipes import RECIPES
from verdict_assets.schemas.catalogue import TABLES

OWNER = "team:verdict"
# Enough digits of a hash to tell versions of one file apart.
_VERSION_DIGITS = 16

# The one pool: two rollouts at a time would share an accelerator and each other's memory.
GPU_POOL = "gpu"


class Group(StrEnum):
    """The parts of the graph, left to right."""

    BENCHMARKS = "benchmarks"
    MODELS = "models"
    NUMBERS = "numbers"
    REPORT = "report"


class Needs(StrEnum):
    """What must be there to make an asset: the value of its tag `needs`."""

    FILES = "files"
    ENGINE = "engine"
    STORE = "store"
    TABLES = "tables"


_BENCHMARKS = (Group.BENCHMARKS, Needs.FILES)
_MODELS = (Group.MODELS, Needs.ENGINE)
_NUMBERS = (Group.NUMBERS, Needs.TABLES)
_REPORT = (Group.REPORT, Needs.TABLES)
_PLACES: dict[str, tuple[Group, Needs]] = {
    "questions": _BENCHMARKS,
    "candidates": _MODELS,
    "raw_scores": _MODELS,
    "answers": _MODELS,
    "judge_probe": _MODELS,
    "score_manifest": (Group.NUMBERS, Needs.STORE),
    "step_labels": _NUMBERS,
    "consensus": _NUMBERS,
    "selections": _NUMBERS,
    "outcomes": _NUMBERS,
    "world_diagnostics": _NUMBERS,
    "main_comparison": _NUMBERS,
    "warehouse": _REPORT,
    "report": _REPORT,
}

_TABLE_KINDS = {"python", "parquet"}
_KINDS = {"warehouse": {"python", "duckdb"}, "report": {"python", "html"}}

_DESCRIPTIONS = {name: table.meaning for name, table in TABLES.items()} | {
    "warehouse": "Every table in one DuckDB file, for questions in SQL. Open it read-only; "
    "it may be deleted.",
    "report": "reports/index.html, self-contained, and reports/numbers.csv with every number on it.",
}

# Modules whose source is an asset's code, together with all that they import.
_MODULES: dict[str, Sequence[str]] = {
    **dict.fromkeys(extraction.PARTITIONED, (engines.__name__, extraction.__name__)),
    **{recipe.table.name: recipe.modules for recipe in RECIPES},
    "score_manifest": (extraction.__name__,),
    "warehouse": (warehouse.__name__,),
    "report": (report_files.__name__,),
}


class Attributes(TypedDict):
    """The arguments of a Dagster asset that this registry decides."""

    group_name: str
    kinds: set[str]
    owners: list[str]
    tags: dict[str, str]
    description: str
    code_version: str


def asset_attributes(name: str) -> Attributes:
    """What Dagster shows beside an asset's name."""
    group, needs = _PLACES[name]
    modules = [*_MODULES[name], *([f"verdict_assets.schemas.{name}"] if name in TABLES else [])]
    return Attributes(
        group_name=group.value,
        kinds=_KINDS.get(name, _TABLE_KINDS),
        owners=[OWNER],
        tags={"needs": needs.value},
        description=_DESCRIPTIONS[name],
        code_version=fingerprint(sources(modules))[:_VERSION_DIGITS],
    )
