"""Everything that Dagster runs: which table is made of what, when it is made anew, what the UI shows of it.

Belongs here: thin assets, jobs, checks, and the bookkeeping of derived files. Does not: mathematics
(verification), statistics (analysis), pages (reporting), asking models (rollout).
"""
