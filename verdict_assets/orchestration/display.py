"""What the UI shows of a table: rows, columns and whence, a preview, its fingerprint, whether it was reused.

Belongs here: Dagster metadata made of a schema and a file. Does not: checks, and anything that decides.
"""

from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import pandas as pd
from dagster._core.definitions.metadata import RawMetadataValue

from verdict_assets.orchestration.columns import column_lineage, origins
from verdict_assets.orchestration.stamp import Stamp
from verdict_assets.schemas.parquet import connect
from verdict_assets.schemas.table import Column, Table, quoted

# Enough to see what a row is; every preview is kept in Dagster's event log.
_PREVIEW_ROWS = 8
_PREVIEW_CHARACTERS = 48


def column_schema(table: Table) -> dg.TableSchema:
    """The table's columns as Dagster shows them, each with the columns that it comes from."""
    come_from = origins(table)
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                column.name,
                type=column.type.value,
                description=_described(column, come_from.get(column.name, ())),
                constraints=dg.TableColumnConstraints(nullable=column.nullable),
            )
            for column in table.columns
        ],
        constraints=dg.TableConstraints(other=[f"key: {', '.join(table.key)}"]),
    )


def column_metadata(table: Table) -> dict[str, RawMetadataValue]:
    """What is shown of a table's columns, whatever its rows: what they are and where they come from."""
    shown: dict[str, RawMetadataValue] = {"dagster/column_schema": column_schema(table)}
    lineage = column_lineage(table)
    if lineage.deps_by_column:
        shown["dagster/column_lineage"] = lineage
    return shown


def table_metadata(
    table: Table, path: Path, root: Path, stamp: Stamp, *, reused: bool
) -> dict[str, RawMetadataValue]:
    """What is shown of one file of a table. Paths are relative to the project's root."""
    return {
        "dagster/row_count": stamp.rows,
        "dagster/uri": path.relative_to(root).as_posix(),
        "fingerprint": stamp.fingerprint,
        "rows_sha256": stamp.rows_sha256,
        "reused": reused,
        "preview": dg.MetadataValue.md(preview(table, path)),
    }


def preview(table: Table, path: Path) -> str:
    """The first rows as a markdown table, long values cut."""
    with connect() as connection:
        rows = connection.execute(
            f"SELECT {', '.join(quoted(table.names))} FROM read_parquet(?) LIMIT {_PREVIEW_ROWS}", [str(path)]
        ).fetchall()
    lines = [table.names, ["---"] * len(table.names), *rows]
    return "\n".join(f"| {' | '.join(_cell(value) for value in line)} |" for line in lines)


def _described(column: Column, come_from: Sequence[str]) -> str:
    """Meaning, unit and origins: the open-source UI has no view of its own for the lineage of columns."""
    unit = f" [{column.unit}]" if column.unit else ""
    origin = f" From {', '.join(come_from)}." if come_from else ""
    return column.meaning + unit + origin


def _cell(value: object) -> str:
    if value is None or value is pd.NA:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    text = text.replace("|", "\\|").replace("\n", "⏎")
    return text if len(text) <= _PREVIEW_CHARACTERS else text[: _PREVIEW_CHARACTERS - 1] + "…"
