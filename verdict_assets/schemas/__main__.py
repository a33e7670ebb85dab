"""Prints the documentation of all tables: `python -m verdict_assets.schemas > docs/tables.md`."""

from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.table import describe

_HEAD = """# Tables

Every table is one Parquet file below `data/tables/` (the partitioned ones a file a study and benchmark) and a
table of `data/warehouse/verdict.duckdb`. This page is made of the schemas in `verdict_assets/schemas/`.
"""

if __name__ == "__main__":
    print("\n".join([_HEAD, *(describe(table) for table in TABLES.values())]), end="")
