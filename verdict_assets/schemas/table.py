"""What a table is: named, typed, documented columns and a key; and what follows from that alone.

Belongs here: the types `Column` and `Table`, the DDL and the documentation made of them. Does not: any
particular table (one file each beside this one), comparing data with a schema (check.py), files (parquet.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

# A mean of numbers in [0, 1] may miss the interval by rounding; anything more is a fault.
ROUNDING = 1e-9


class Type(StrEnum):
    """Column types, by their DuckDB names."""

    TEXT = "VARCHAR"
    INTEGER = "BIGINT"
    REAL = "DOUBLE"
    BOOLEAN = "BOOLEAN"
    TEXTS = "VARCHAR[]"
    REALS = "DOUBLE[]"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what it means, its unit where it has one, and which values it may take."""

    name: str
    type: Type
    meaning: str
    unit: str | None = None
    nullable: bool = False
    values: tuple[str, ...] | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table. `key` identifies a row and is the order in which rows are stored."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    partitioned: bool = False

    def __post_init__(self) -> None:
        names = self.names
        if len(set(names)) != len(names):
            raise ValueError(f"table {self.name} names a column twice")
        if not self.key or any(self[name].nullable for name in self.key):
            raise ValueError(f"table {self.name} needs a key without nullable columns")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names in order."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        """The column of that name.

        Raises:
            KeyError: there is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.name} has no column {name}; it has {', '.join(self.names)}")


def ddl(table: Table) -> str:
    """The CREATE TABLE statement, with the primary key and the constraints that DuckDB can hold."""
    lines = [f"    {_column_ddl(column)}" for column in table.columns]
    lines.append(f"    PRIMARY KEY ({', '.join(quoted(table.key))})")
    return f'CREATE TABLE "{table.name}" (\n' + ",\n".join(lines) + "\n);"


def quoted(names: Sequence[str]) -> list[str]:
    """SQL identifiers, quoted since `position`, `end` and `left` are words of SQL too."""
    return [f'"{name}"' for name in names]


def describe(table: Table) -> str:
    """The table's documentation as markdown."""
    lines = [
        f"## {table.name}",
        "",
        table.meaning,
        "",
        f"Key: {', '.join(f'`{name}`' for name in table.key)}.",
    ]
    lines += ["", "| column | type | unit | null | meaning |", "|---|---|---|---|---|"]
    for column in table.columns:
        cells = (f"`{column.name}`", column.type.value, column.unit or "", "yes" if column.nullable else "")
        lines.append(f"| {' | '.join(cells)} | {column.meaning}{_domain(column)} |")
    return "\n".join(lines) + "\n"


def _column_ddl(column: Column) -> str:
    rules = [f'"{column.name}"', column.type.value]
    if not column.nullable:
        rules.append("NOT NULL")
    if column.values is not None:
        rules.append(f'CHECK ("{column.name}" IN ({", ".join(repr(value) for value in column.values)}))')
    elif column.type in (Type.INTEGER, Type.REAL):
        limits = [] if column.low is None else [f'"{column.name}" >= {column.low - ROUNDING}']
        limits += [] if column.high is None else [f'"{column.name}" <= {column.high + ROUNDING}']
        rules += [f"CHECK ({' AND '.join(limits)})"] if limits else []
    return " ".join(rules)


def _domain(column: Column) -> str:
    if column.values is not None:
        return f" One of {', '.join(f'`{value}`' for value in column.values)}."
    if column.low is None and column.high is None:
        return ""
    if column.high is None:
        return f" At least {column.low:g}."
    if column.low is None:
        return f" At most {column.high:g}."
    return f" In [{column.low:g}, {column.high:g}]."
