"""The report as one self-contained page.

Belongs here: which words and which ledger ids stand where. Does not belong here: any number that is not in
the ledger.
"""
