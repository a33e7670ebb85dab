"""Writes and reads a table as one Parquet file, and hashes its rows.

Belongs here: bytes on disk, identity of rows. Does not: where a file lies (config/paths.py), whether it
must be made anew (orchestration), what its rows mean.
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from verdict_assets.errors import UserError
from verdict_assets.schemas.check import conform, empty
from verdict_assets.schemas.table import Column, Table, Type, quoted

# Fixed since it decides the bytes of the file: rows a group, not a limit on the table.
_ROW_GROUP = 100_000
# Name under which a frame is registered with DuckDB.
_ROWS = "rows_to_store"
_LISTS = (Type.TEXTS, Type.REALS)


def connect() -> duckdb.DuckDBPyConnection:
    """A private in-memory DuckDB whose answers are the same on every machine.

    One thread, because sums of floats depend on the order of the rows; no extension is fetched in silence.
    """
    return duckdb.connect(config={"threads": 1, "autoinstall_known_extensions": False})


def write_table(
    frame: pd.DataFrame, table: Table, path: Path, accept: Callable[[pd.DataFrame], None] | None = None
) -> pd.DataFrame:
    """Check the frame against the schema, sort it by its key and write it; return it as stored.

    The rows are written to a temporary file and read from it again; the file gets its name only if they are
    the same rows and `accept` does not refuse them. Until then, and after a refusal, what was there before
    stays. Equal rows give equal bytes, whatever their order.

    Raises:
        UserError: the frame breaks the schema, or the file does not read back as it was written. Whatever
            `accept` raises.
    """
    stored = conform(frame, table)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with connect() as connection:
            connection.register(_ROWS, _transport(stored, table))
            connection.execute(
                f"COPY ({_typed_rows(table)}) TO {_literal(partial)} "
                f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP})"
            )
        written = _read_back(partial, table, stored)
        if accept is not None:
            accept(written)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return stored


def insert_rows(connection: duckdb.DuckDBPyConnection, table: Table, stored: pd.DataFrame) -> int:
    """Append rows in stored form to the table of that name in a database; return how many."""
    connection.register(_ROWS, _transport(stored, table))
    connection.execute(f'INSERT INTO "{table.name}" {_typed_rows(table)}')
    connection.unregister(_ROWS)
    return len(stored)


def read_table(table: Table, path: Path) -> pd.DataFrame:
    """The rows of a file in stored form, ordered by key.

    Raises:
        UserError: the file does not exist, is damaged, or holds another table.
    """
    return read_tables(table, [path])


def read_tables(table: Table, paths: Sequence[Path]) -> pd.DataFrame:
    """The rows of several files of one table together, ordered by key. No path gives no rows.

    Raises:
        UserError: a file does not exist, is damaged, or holds another table.
    """
    columns = ", ".join(_to_transport(column) for column in table.columns)
    parts = []
    for path in paths:
        if not path.is_file():
            raise UserError(
                f"table {table.name} is not there", where=str(path), remedy="make it with the job `recompute`"
            )
        try:
            with connect() as connection:
                frame = connection.execute(f"SELECT {columns} FROM read_parquet({_literal(path)})").df()
        except duckdb.Error as error:
            raise UserError(
                f"table {table.name} cannot be read: {error}",
                where=str(path),
                remedy="delete the file and run the job `recompute`",
            ) from error
        for column in table.columns:
            if column.type in _LISTS:
                texts = frame[column.name]
                frame[column.name] = [None if pd.isna(text) else json.loads(text) for text in texts]
        parts.append(frame)
    if not parts:
        return empty(table)
    return conform(pd.concat(parts, ignore_index=True), table)


def rows_sha256(stored: pd.DataFrame, table: Table) -> str:
    """sha256 over the rows of a frame in stored form: independent of Parquet, DuckDB and machine."""
    digest = hashlib.sha256(json.dumps([table.name, table.names, len(stored)]).encode())
    for column in table.columns:
        for block in _column_bytes(stored[column.name], column):
            digest.update(block)
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def schema_problems(table: Table, path: Path) -> list[str]:
    """Differences between the columns of a file and the schema, in words."""
    with connect() as connection:
        found = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    actual = [(str(row[0]), str(row[1])) for row in found]
    expected = [(column.name, column.type.value) for column in table.columns]
    problems = [
        f"{name} {type_} is expected and not there" for name, type_ in expected if (name, type_) not in actual
    ]
    problems += [
        f"{name} {type_} is there and not expected" for name, type_ in actual if (name, type_) not in expected
    ]
    return problems if problems or actual == expected else ["the columns stand in another order"]


def _read_back(partial: Path, table: Table, stored: pd.DataFrame) -> pd.DataFrame:
    """The rows of a file that was just written, which must be those that were meant."""
    problems = schema_problems(table, partial)
    if not problems:
        written = read_table(table, partial)
        if rows_sha256(written, table) == rows_sha256(stored, table):
            return written
        problems = ["its rows have another hash than those that were written"]
    raise UserError(
        f"table {table.name} does not read back as it was written: {'; '.join(problems)}",
        where=str(partial),
        remedy="check the disk (full, failing, network) and run the job again; nothing was replaced",
    )


def _transport(stored: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Columns whose type DuckDB reads from the dtype, not by looking at a sample of the values.

    Texts as pandas' string dtype, lists as JSON text, reals with a mask so that a missing one becomes NULL.
    """
    columns = {}
    for column in table.columns:
        values = stored[column.name]
        if column.type is Type.TEXT:
            values = values.astype("string")
        elif column.type is Type.REAL:
            values = values.astype("Float64")
        elif column.type in _LISTS:
            values = pd.Series(_json_texts(values), dtype="string")
        columns[column.name] = values
    return pd.DataFrame(columns)


def _typed_rows(table: Table) -> str:
    selected = ", ".join(_from_transport(column) for column in table.columns)
    return f"SELECT {selected} FROM {_ROWS} ORDER BY {', '.join(quoted(table.key))}"


def _from_transport(column: Column) -> str:
    name = f'"{column.name}"'
    value = f"{name}::JSON" if column.type in _LISTS else name
    return f"CAST({value} AS {column.type.value}) AS {name}"


def _to_transport(column: Column) -> str:
    name = f'"{column.name}"'
    return f"to_json({name})::VARCHAR AS {name}" if column.type in _LISTS else name


def _json_texts(values: pd.Series) -> list[str | None]:
    """Lists as JSON text; a missing number within a list is null."""
    return [
        None if items is None else json.dumps([None if item != item else item for item in items])
        for items in values
    ]


def _column_bytes(values: pd.Series, column: Column) -> list[bytes]:
    """Missing values as a mask, then the values: numbers little-endian, texts and lists with lengths."""
    missing = values.isna().to_numpy()
    blocks = [missing.tobytes()]
    if column.type is Type.REAL:
        # Adding zero turns -0.0 into 0.0: equal rows must have equal bytes.
        numbers = values.to_numpy(dtype="float64", na_value=0.0) + 0.0
        return [*blocks, numbers.astype("<f8").tobytes()]
    if column.type in (Type.INTEGER, Type.BOOLEAN):
        return [*blocks, values.to_numpy(dtype="int64", na_value=0).astype("<i8").tobytes()]
    texts = list(values) if column.type is Type.TEXT else _json_texts(values)
    encoded = [(text or "").encode() for text in texts]
    lengths = np.array([len(text) for text in encoded], dtype="<i8")
    return [*blocks, lengths.tobytes(), b"".join(encoded)]


def _literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
