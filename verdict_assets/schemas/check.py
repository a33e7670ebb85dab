"""Compares a frame with a table's schema and brings it to the one form in which it is stored.

Belongs here: what is wrong with a frame, and the lossless conversions that make it right. Does not: content
rules that span tables (orchestration's checks), or files (parquet.py).
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from verdict_assets.errors import UserError
from verdict_assets.schemas.table import ROUNDING, Column, Table, Type

# What pandas infers from the values themselves (whatever the dtype says), by the type that may hold them.
_INFERRED = {
    Type.TEXT: {"string"},
    Type.INTEGER: {"integer"},
    Type.REAL: {"floating", "integer", "mixed-integer-float"},
    Type.BOOLEAN: {"boolean"},
}


def check(frame: pd.DataFrame, table: Table) -> list[str]:
    """All that is wrong with the frame, one sentence each; empty if it may be stored as this table."""
    missing = [name for name in table.names if name not in frame.columns]
    unknown = [str(name) for name in frame.columns if name not in table.names]
    problems = [f"columns missing: {', '.join(missing)}"] if missing else []
    problems += [f"columns that are not in the schema: {', '.join(unknown)}"] if unknown else []
    if frame.columns.has_duplicates:
        return [*problems, "columns that stand twice"]
    for column in table.columns:
        if column.name in frame.columns:
            problems += _column_problems(frame[column.name], column)
    if not any(name in missing for name in table.key):
        twice = int(frame.duplicated(list(table.key)).sum())
        problems += [f"{twice} rows repeat a key ({', '.join(table.key)})"] if twice else []
    return problems


def conform(frame: pd.DataFrame, table: Table) -> pd.DataFrame:
    """The frame in stored form: the schema's columns in order, one dtype a type, rows in key order.

    Missing values are None (texts, lists), <NA> (nullable integers and booleans) or NaN (reals, also in
    lists).

    Raises:
        UserError: the frame breaks the schema; every problem is listed.
    """
    problems = check(frame, table)
    if problems:
        raise UserError(
            f"rows that break the schema of {table.name}: " + "; ".join(problems),
            remedy="mend the code that made these rows; derived tables are never edited by hand",
        )
    columns = {column.name: _converted(frame[column.name], column) for column in table.columns}
    return pd.DataFrame(columns).sort_values(list(table.key), kind="stable", ignore_index=True)


def empty(table: Table) -> pd.DataFrame:
    """A frame of the table without rows."""
    return conform(pd.DataFrame({name: pd.Series([], dtype="object") for name in table.names}), table)


def _column_problems(values: pd.Series, column: Column) -> Iterator[str]:
    present = values[values.notna()]
    if not column.nullable and len(present) < len(values):
        yield f"{column.name}: {len(values) - len(present)} values are missing"
    if column.type in (Type.TEXTS, Type.REALS):
        yield from _list_problems(present, column)
        return
    kind = pd.api.types.infer_dtype(present, skipna=True)
    if kind == "floating" and column.type is Type.INTEGER and _integral(present):
        kind = "integer"  # pandas turned integers with gaps into floats
    if len(present) and kind not in _INFERRED[column.type]:
        yield f"{column.name}: expected {column.type.value}, found {kind}"
        return
    yield from _domain_problems(present, column)


def _list_problems(present: pd.Series, column: Column) -> Iterator[str]:
    for value in present:
        if not isinstance(value, list | tuple | np.ndarray):
            yield f"{column.name}: expected {column.type.value}, found {type(value).__name__}"
            return
        wrong = [item for item in value if not _fits(item, column.type)]
        if wrong:
            yield f"{column.name}: a list holds {wrong[0]!r}"
            return


def _fits(item: object, type_: Type) -> bool:
    if type_ is Type.TEXTS:
        return isinstance(item, str)
    return item is None or (
        isinstance(item, int | float | np.floating | np.integer) and not isinstance(item, bool)
    )


def _domain_problems(present: pd.Series, column: Column) -> Iterator[str]:
    if column.values is not None:
        other = sorted({str(value) for value in present[~present.isin(column.values)]})
        if other:
            yield f"{column.name}: values that are not allowed: {', '.join(other[:5])}"
    if column.type not in (Type.INTEGER, Type.REAL) or not len(present):
        return
    numbers = present.astype("float64")
    if not np.isfinite(numbers).all():
        yield f"{column.name}: values that are not finite"
    if column.low is not None and (numbers < column.low - ROUNDING).any():
        yield f"{column.name}: smallest value {numbers.min():g} is below {column.low:g}"
    if column.high is not None and (numbers > column.high + ROUNDING).any():
        yield f"{column.name}: largest value {numbers.max():g} is above {column.high:g}"


def _integral(values: pd.Series) -> bool:
    return bool((values == np.floor(values.astype("float64"))).all())


def _converted(values: pd.Series, column: Column) -> pd.Series:
    if column.type is Type.REAL:
        return values.reset_index(drop=True).astype("Float64").astype("float64")
    if column.type is Type.INTEGER:
        numbers = values.reset_index(drop=True).astype("Int64")
        return numbers if column.nullable else numbers.astype("int64")
    if column.type is Type.BOOLEAN:
        truths = values.reset_index(drop=True).astype("boolean")
        return truths if column.nullable else truths.astype("bool")
    cells = values.reset_index(drop=True).astype("object")
    there = cells.notna()
    if column.type is not Type.TEXT:
        cells = cells.map(lambda items: _items(items, column.type), na_action="ignore")
    return cells.where(there, None)


def _items(value: Iterable[str | float | None], type_: Type) -> list[str] | list[float]:
    """A list of plain values; a missing number in it is NaN."""
    if type_ is Type.TEXTS:
        return [str(item) for item in value]
    return [float("nan") if item is None else float(item) for item in value]
