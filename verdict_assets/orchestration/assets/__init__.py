"""The assets, left to right: questions, what models fill, tables, report. Each only calls and shows.

Belongs here: Dagster definitions. Does not: anything worth testing without Dagster.
"""
