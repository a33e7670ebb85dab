"""Choosing among judged candidates: the consensus kernel, strategies as data, the trace tree, and replay.

Belongs here: the mathematics of a choice and of walking stored trees. Does not belong here: models, files,
tables, Dagster. Nothing in this package imports more than numpy.
"""
