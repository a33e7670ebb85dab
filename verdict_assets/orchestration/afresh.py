"""Every table that a reported number rests on, computed in memory from the store and nothing derived.

Belongs here: the same functions as the assets run, one after the other, without a file, a stamp or Dagster.
Does not: comparing the result with what was reported (reporting/audit).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from verdict_assets.inference.store import Store
from verdict_assets.orchestration.basis import LEDGER_INPUTS, needed
from verdict_assets.orchestration.extraction import (
    PARTITIONED,
    Pair,
    extracted_tables,
    facts_of,
    manifest_row,
    open_store,
)
from verdict_assets.orchestration.recipe import MANIFEST, Inputs
from verdict_assets.orchestration.setting import Setting
from verdict_assets.reporting.audit.reported import Row, parse
from verdict_assets.reporting.ledger import tables as ledger_tables
from verdict_assets.reporting.ledger.book import numbers_csv
from verdict_assets.rollout.partition import Partition, open_partition
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.check import conform, empty
from verdict_assets.schemas.parquet import rows_sha256


@dataclass(frozen=True, slots=True)
class Afresh:
    """Tables in stored form by name, and what they were read from."""

    tables: Mapping[str, pd.DataFrame]
    partitions: Mapping[Pair, Partition]
    store: Store


def only(setting: Setting, pair: Pair) -> Setting:
    """The setting as if the project had a single study on a single benchmark."""
    study, benchmark = pair
    spec = setting.studies[study]
    narrow = replace(spec, benchmarks={benchmark: spec.benchmarks[benchmark]})
    return Setting(setting.project, setting.params, {study: narrow})


def compute(setting: Setting) -> Afresh:
    """Compute all tables of the setting's pairs.

    Raises:
        UserError: the store was damaged, or the configuration names what does not exist.
    """
    store = open_store(setting)
    partitions = {pair: open_partition(setting.project.root, *pair) for pair in setting.pairs}
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in PARTITIONED}
    listed = []
    for pair, partition in partitions.items():
        for name, extracted in extracted_tables(setting, partition, store).items():
            rows: pd.DataFrame = getattr(extracted, name)
            parts[name].append(rows)
            sha256 = rows_sha256(rows, TABLES[name])
            listed.append(manifest_row(pair, name, len(rows), sha256, facts_of(extracted)))
    tables = {name: _together(name, frames) for name, frames in parts.items()}
    tables[MANIFEST] = conform(pd.DataFrame(listed), TABLES[MANIFEST])
    return Afresh(derive(setting, tables), partitions, store)


def derive(setting: Setting, given: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The given tables and all that a reported number needs besides, made of them."""
    tables = dict(given)
    for recipe in needed():
        if recipe.table.name not in tables:
            inputs = Inputs(setting, recipe.inputs, {name: tables[name] for name in recipe.inputs})
            tables[recipe.table.name] = conform(recipe.build(inputs), recipe.table)
    return tables


def _together(name: str, frames: list[pd.DataFrame]) -> pd.DataFrame:
    filled = [frame for frame in frames if len(frame)]
    if not filled:
        return empty(TABLES[name])
    return conform(pd.concat(filled, ignore_index=True), TABLES[name])


def ledger_rows(setting: Setting, tables: Mapping[str, pd.DataFrame]) -> dict[str, Row]:
    """The ledger of the tables as it would be published, by id; a table that is not there counts as empty."""
    frames = [tables[name] if name in tables else empty(TABLES[name]) for name in LEDGER_INPUTS]
    ledger = ledger_tables.build(*frames, studies=setting.studies, params=setting.params)
    return parse(numbers_csv(ledger))
