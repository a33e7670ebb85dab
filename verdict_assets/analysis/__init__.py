"""Pure functions from tables to tables: everything the report counts, tests and compares.

Belongs here: one file a derived table, each with `build(...) -> DataFrame`, and `statistics/`, which knows no
table. Does not belong here: Dagster, files, engines, or a strategy's rule (those are values in
`verification`).
"""
