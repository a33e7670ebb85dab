"""`verdict show`: a table of the warehouse in the terminal, by default the main comparison.

Belongs here: printing what is there. Does not: making it (the job `recompute`), or how a number is written
(reporting).
"""

import argparse

from verdict_assets.config.paths import Project, find_project
from verdict_assets.errors import UserError
from verdict_assets.schemas.catalogue import TABLES

NAME = "show"
HELP = "print a table: by default the main comparison"

_MAIN = "main_comparison"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which table, and how much of it."""
    parser.add_argument("table", nargs="?", default=_MAIN, help=f"name of a table (default: {_MAIN})")
    parser.add_argument("--rows", type=int, default=20, help="rows to print of any other table (default: 20)")
    parser.add_argument("--columns", action="store_true", help="explain the table's columns instead")


def run(args: argparse.Namespace) -> int:
    """Print the table.

    Raises:
        UserError: there is no such table, or nothing was computed yet.
    """
    if args.table not in TABLES:
        raise UserError(f"there is no table {args.table!r}", remedy=f"use one of: {', '.join(TABLES)}")
    if args.columns:
        from verdict_assets.schemas.table import describe

        print(describe(TABLES[args.table]), end="")
        return 0
    project = find_project()
    if args.table == _MAIN:
        _print_main(project)
    else:
        _print_rows(project, args.table, args.rows)
    return 0


def _print_main(project: Project) -> None:
    from verdict_assets.orchestration.warehouse import open_warehouse
    from verdict_assets.reporting.text import main_table

    with open_warehouse(project.warehouse) as connection:
        print(main_table(connection.execute(f'FROM "{_MAIN}" ORDER BY ALL').df()))
        drafts = connection.execute(
            "SELECT DISTINCT study, benchmark FROM score_manifest WHERE draft"
        ).fetchall()
    if drafts:
        named = ", ".join(f"{study} on {benchmark}" for study, benchmark in sorted(drafts))
        print(f"draft, since it rests on answers that are not frozen: {named}")
    report = project.reports / "index.html"
    if report.is_file():
        print(f"report: {report}")


def _print_rows(project: Project, table: str, rows: int) -> None:
    from verdict_assets.orchestration.warehouse import open_warehouse

    with open_warehouse(project.warehouse) as connection:
        connection.sql(f'FROM "{table}"').show(max_rows=rows)
