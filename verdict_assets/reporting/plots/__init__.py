"""Plots as SVG, drawn from ledger entries, the same bytes on every run.

Belongs here: one file a plot, and what they share (`canvas`). Does not belong here: numbers that are not in
the ledger.
"""
