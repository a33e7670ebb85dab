"""Growing trace trees: what is asked next, asking it, and reading tables from what was answered.

Here: everything between strategies (`verification`), which know no engine, and engines (`inference`),
which know no strategy. Not here: statistics over finished trees (`analysis`), and Dagster (`orchestration`).
"""
