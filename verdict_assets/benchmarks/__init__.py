"""Benchmarks: question files and their pictures, read into one shape.

Belongs here: one loader a file format, the images of a benchmark by hash, and the truth of steps where a
benchmark has it. Does not belong here: prompts, models and scores.
"""
