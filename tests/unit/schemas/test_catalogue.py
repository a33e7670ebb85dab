"""The project's tables: DuckDB accepts their DDL, their documentation is complete, their words are few."""

from pathlib import Path

import duckdb
import pytest

from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.table import ddl, describe

DOCUMENT = Path(__file__).parents[3] / "docs" / "tables.md"


@pytest.mark.parametrize("name", TABLES)
def test_the_ddl_makes_the_table(name: str) -> None:
    table = TABLES[name]
    with duckdb.connect() as connection:
        connection.execute(ddl(table))
        columns = connection.execute(f'DESCRIBE "{name}"').fetchall()
    assert [(row[0], row[1]) for row in columns] == [
        (column.name, column.type.value) for column in table.columns
    ]
    assert [row[0] for row in columns if row[2] == "NO"] == [
        column.name for column in table.columns if not column.nullable
    ]


def test_the_ddl_refuses_what_the_schema_refuses() -> None:
    with duckdb.connect() as connection:
        connection.execute(ddl(TABLES["answers"]))
        with pytest.raises(duckdb.ConstraintException):
            connection.execute(
                "INSERT INTO answers VALUES ('s', 'b', 'q', 'n', 'tired', NULL, 'none', false)"
            )


def test_a_word_means_the_same_in_every_table() -> None:
    """But for `main_comparison`, which counts what is true or false of a single question."""
    tables = [table for name, table in TABLES.items() if name != "main_comparison"]
    types = {(column.name, column.type) for table in tables for column in table.columns}
    names = [name for name, _ in types]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_described_in_a_sentence(name: str) -> None:
    for column in TABLES[name].columns:
        assert column.meaning.endswith("."), f"{name}.{column.name}"


def test_the_documentation_is_the_schemas() -> None:
    """After a wanted change: `python -m verdict_assets.schemas > docs/tables.md`."""
    text = DOCUMENT.read_text()
    for table in TABLES.values():
        assert describe(table) in text
