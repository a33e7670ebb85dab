"""Audits: from a reported number back to what it was made of, and what has changed there since.

Belongs here: comparing what was reported and recorded with what is there, in plain values. Does not belong
here: computing tables (the caller hands them in), run ids and times (`lineage`).
"""
