"""What a recorded world is like: whether verification has something to do, and whether the judges can see.

Belongs here: one file a question about the recorded rows of one study on one benchmark, each returning
`Metric`s. Does not belong here: strategies' results (`main_comparison`).
"""
