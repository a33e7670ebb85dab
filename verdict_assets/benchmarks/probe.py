"""The judge probe of a benchmark, where the truth of every step is known: only the scenes world's is.

Belongs here: the way from a benchmark's file to items. How they are made is in `scenes.probe`.
"""

from collections.abc import Iterable
from pathlib import Path

from verdict_assets.benchmarks.load import Question
from verdict_assets.benchmarks.truth import known_scenes
from verdict_assets.scenes.probe import ProbeItem, probe_items


def load_probe(root: Path, benchmark: str, questions: Iterable[Question]) -> list[tuple[Question, ProbeItem]]:
    """Every item with the question it belongs to, in the order of `questions`; none without known truth.

    Raises UserError when the file of the benchmark cannot be read.
    """
    scenes = known_scenes(root, benchmark)
    return [
        (question, item)
        for question in questions
        if question.question_id in scenes
        for item in probe_items(benchmark, question.question_id, *scenes[question.question_id])
    ]
