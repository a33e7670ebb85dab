"""From tables to what people read: the ledger of numbers, pages, plots and text tables.

Belongs here: how a number gets its id and is shown. Does not belong here: how it is computed (`analysis`).
"""
