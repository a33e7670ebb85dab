"""The ledger: every number that is reported is one row in it, with an id, its counts and its definition.

Belongs here: rows, how tables become rows, and the file `reports/numbers.csv`. Does not belong here: how a
number looks on a page (`pages`), run ids and times (`lineage`).
"""
