"""How a derived table is made: its inputs, its function, and what that function depends on.

Belongs here: the type `Recipe`, reading its inputs, and the rule that equal fingerprints mean no work. Does
not: any particular table (recipes.py), and Dagster, which only calls `make` and shows what it returns.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pandas as pd

from verdict_assets.config.fingerprint import fingerprint, sources
from verdict_assets.errors import UserError
from verdict_assets.orchestration.rules import require
from verdict_assets.orchestration.setting import Setting
from verdict_assets.orchestration.stamp import Stamp, valid_stamp, write_stamp
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import read_table, read_tables, rows_sha256, write_table
from verdict_assets.schemas.table import Table

MANIFEST = "score_manifest"
# Changes whenever the stored form of tables changes, so that files of an older form are made anew.
FORM = 1


@dataclass(slots=True)
class Inputs:
    """The tables that a recipe may read; each is read from its file once, when it is first asked for.

    frames: tables at hand, whose files are not needed.
    """

    setting: Setting
    allowed: tuple[str, ...]
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)

    def __getitem__(self, name: str) -> pd.DataFrame:
        """The rows of one input, in stored form."""
        if name not in self.allowed:
            raise KeyError(f"{name} is read but not declared as an input")
        if name not in self.frames:
            self.frames[name] = read_input(self.setting, TABLES[name])
        return self.frames[name]


@dataclass(frozen=True, slots=True)
class Recipe:
    """One derived, unpartitioned table.

    `inputs` are tables by name; partitioned ones are read as the manifest lists them. `modules` are those
    whose source decides the result, `reads` the configuration that it depends on, as plain values.
    """

    table: Table
    inputs: tuple[str, ...]
    modules: tuple[str, ...]
    reads: Callable[[Setting], Mapping[str, object]]
    build: Callable[[Inputs], pd.DataFrame]

    @property
    def upstream(self) -> tuple[str, ...]:
        """The inputs as assets: the manifest stands for the partitions that it lists."""
        return tuple(dict.fromkeys(MANIFEST if TABLES[name].partitioned else name for name in self.inputs))

    def sources(self) -> dict[str, str]:
        """sha256 of every module whose source decides the result, by name."""
        return sources([*self.modules, f"verdict_assets.schemas.{self.table.name}"])


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a derived file: its record, and whether it was already there."""

    stamp: Stamp
    reused: bool


def make(recipe: Recipe, setting: Setting) -> Made:
    """Make the recipe's table, or find that it is there already.

    Raises:
        UserError: an input is missing or damaged, or the rows break the schema or a rule on the table.
    """
    path = setting.project.table(recipe.table.name)
    expected = fingerprint(
        {
            "table": recipe.table.name,
            "form": FORM,
            "sources": recipe.sources(),
            "reads": recipe.reads(setting),
            "inputs": {name: input_version(setting, name) for name in recipe.inputs},
        }
    )
    found = valid_stamp(path)
    if found is not None and found.fingerprint == expected:
        return Made(found, reused=True)
    inputs = Inputs(setting, recipe.inputs)
    stored = write_table(recipe.build(inputs), recipe.table, path, lambda rows: _accept(recipe, inputs, rows))
    return Made(write_stamp(path, expected, len(stored), rows_sha256(stored, recipe.table)), reused=False)


def _accept(recipe: Recipe, inputs: Inputs, rows: pd.DataFrame) -> None:
    """Refuse new rows that break a rule, before the file with them gets its name."""
    name = recipe.table.name
    together = Inputs(inputs.setting, (*inputs.allowed, name), inputs.frames | {name: rows})
    require(inputs.setting, name, together, inputs.allowed)


def input_version(setting: Setting, name: str) -> str | dict[str, str]:
    """The hash of a table's rows, or of each of its partitions' rows as the manifest lists them.

    Raises:
        UserError: the table, or the manifest, is missing or was changed.
    """
    if not TABLES[name].partitioned:
        return stamp_of(setting, name).rows_sha256
    listed = read_input(setting, TABLES[MANIFEST])
    mine = listed[listed["table_name"] == name]
    return {f"{row.study}/{row.benchmark}": str(row.sha256) for row in mine.itertuples()}


def stamp_of(setting: Setting, name: str) -> Stamp:
    """The record of an unpartitioned table.

    Raises:
        UserError: the table is missing, or its file is not the one that was recorded.
    """
    path = setting.project.table(name)
    stamp = valid_stamp(path)
    if stamp is None:
        raise UserError(
            f"table {name} is missing, or was changed after it was made",
            where=str(path),
            remedy="run the job `recompute`, which makes it anew",
        )
    return stamp


def read_input(setting: Setting, table: Table) -> pd.DataFrame:
    """All rows of a table, after its record, or the manifest's line on each partition, was found to hold.

    Raises:
        UserError: a file is missing or is not the one that was recorded.
    """
    if not table.partitioned:
        stamp_of(setting, table.name)
        return read_table(table, setting.project.table(table.name))
    listed = read_input(setting, TABLES[MANIFEST])
    paths = []
    for row in listed[listed["table_name"] == table.name].itertuples():
        path = setting.project.partition(table.name, str(row.study), str(row.benchmark))
        stamp = valid_stamp(path)
        if stamp is None or stamp.rows_sha256 != row.sha256:
            raise UserError(
                f"a partition of {table.name} is not the one that the manifest lists",
                where=str(path),
                remedy="run the job `recompute`, which reads it from the store again",
            )
        paths.append(path)
    return read_tables(table, paths)
