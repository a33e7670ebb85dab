"""What Dagster shows as checks: the schema of every file, rules over tables, the report's page, frozen data.

Belongs here: between a finding and Dagster. Does not: a rule (rules.py), refusing data (that is done where
data are written and opened: recipe.py, the store's guard). A check says of the files as they are now what
was found of them then.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from verdict_assets.errors import UserError
from verdict_assets.inference.store.guard import verified_shards
from verdict_assets.orchestration.extraction import layers
from verdict_assets.orchestration.frozen import require_here, require_unchanged
from verdict_assets.orchestration.recipe import MANIFEST, Inputs
from verdict_assets.orchestration.resources import ProjectResource, told_to_the_user
from verdict_assets.orchestration.rules import FIRST, RULES
from verdict_assets.orchestration.setting import Setting
from verdict_assets.reporting.pages.digits import stray_digits
from verdict_assets.reporting.report import PAGE
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import schema_problems
from verdict_assets.schemas.table import Table

SCHEMA_CHECK = "schema"
STEP = "rules"


@dataclass(frozen=True, slots=True)
class Check:
    """A check of an asset. `broken` lists what is wrong, in words; nothing listed means that it holds."""

    asset: str
    name: str
    meaning: str
    broken: Callable[[Setting, Inputs], list[str]]
    reads: tuple[str, ...] = ()


def schema_result(asset: str, table: Table, paths: Sequence[Path]) -> dg.AssetCheckResult:
    """The schema check of a table's files, emitted with the materialisation itself."""
    problems = [f"{path.name}: {problem}" for path in paths for problem in schema_problems(table, path)]
    return dg.AssetCheckResult(
        check_name=SCHEMA_CHECK,
        asset_key=asset,
        passed=not problems,
        metadata={"problems": "; ".join(problems)},
    )


def schema_spec(asset: str) -> dg.AssetCheckSpec:
    """Declares the schema check of an asset."""
    return dg.AssetCheckSpec(
        SCHEMA_CHECK,
        asset=asset,
        blocking=True,
        description="The file has the columns and types of the schema.",
    )


def stray_digits_on_page(setting: Setting, _: Inputs) -> list[str]:
    """Texts of the report's page with a digit that is no number of the ledger."""
    page = setting.project.reports / PAGE
    return [f"digit outside the ledger: {text}" for text in stray_digits(page.read_text("utf-8"))]


def changed_frozen_data(setting: Setting, _: Inputs) -> list[str]:
    """What the guards find of files that must be as they were recorded; they tell it as an error."""
    require_here(setting)
    require_unchanged(setting)
    for layer in layers(setting):
        verified_shards(layer)
    return []


# A rule on rows that models filled is shown beside the manifest, since a check has no partitions.
CHECKS = (
    *(
        Check(
            MANIFEST if TABLES[rule.table].partitioned else rule.table,
            rule.name,
            rule.meaning,
            rule.broken,
            rule.reads,
        )
        for rule in RULES
    ),
    Check(
        MANIFEST,
        "frozen_data_unchanged",
        "Answers, and the prompts, questions and weights behind frozen ones, have the recorded hashes.",
        changed_frozen_data,
    ),
    Check(
        "report",
        "figures_are_rows",
        "No digit stands on the page outside numbers of the ledger, code, times and axis ticks.",
        stray_digits_on_page,
    ),
)


def rule_checks() -> dg.AssetChecksDefinition:
    """All checks but the schemas' as one step, so that every table is read once; each can be run alone."""

    @dg.multi_asset_check(
        name=STEP,
        specs=[_spec(check) for check in CHECKS],
        description="Whether what was made holds together.",
        can_subset=True,
    )
    def asset_checks(
        context: dg.AssetCheckExecutionContext, project: ProjectResource
    ) -> Iterator[dg.AssetCheckResult]:
        with told_to_the_user():
            setting = project.setting()
        tables = Inputs(setting, tuple(TABLES))
        for check in CHECKS:
            if dg.AssetCheckKey(dg.AssetKey(check.asset), check.name) in context.selected_asset_check_keys:
                yield _result(check, setting, tables)

    return asset_checks


def _spec(check: Check) -> dg.AssetCheckSpec:
    """The check with what Dagster must have made before, as far as it is an unpartitioned asset."""
    also = [name for name in check.reads if not TABLES[name].partitioned]
    return dg.AssetCheckSpec(
        check.name, asset=check.asset, description=check.meaning, additional_deps=also or None
    )


def _result(check: Check, setting: Setting, tables: Inputs) -> dg.AssetCheckResult:
    try:
        broken = check.broken(setting, tables)
    except UserError as error:  # what is to be checked is not there, or is not what was recorded
        broken = [str(error)]
    metadata: Mapping[str, int | str] = {"broken": len(broken), "first": "\n".join(broken[:FIRST])}
    return dg.AssetCheckResult(
        check_name=check.name, asset_key=check.asset, passed=not broken, metadata=metadata
    )
