"""The rows of `questions`, read from the benchmarks' own files.

Belongs here: putting the loaders' questions into columns. Does not: reading a benchmark's format
(benchmarks).
"""

from pathlib import Path

import pandas as pd

from verdict_assets.benchmarks.load import benchmark_file, load_questions
from verdict_assets.orchestration.setting import Setting
from verdict_assets.schemas.questions import TABLE


def question_files(setting: Setting) -> list[Path]:
    """The files that hold the questions and pictures of every benchmark in use.

    Raises:
        UserError: one of them is missing.
    """
    return [benchmark_file(setting.project.root, name) for name in setting.benchmarks]


def question_rows(setting: Setting) -> pd.DataFrame:
    """Every question of every benchmark that a study uses."""
    rows = [
        {
            "benchmark": question.benchmark,
            "question_id": question.question_id,
            "position": position,
            "type": question.type,
            "question": question.question,
            "options": list(question.options),
            "gold": question.gold,
            "image_sha256": list(question.image_sha256),
        }
        for benchmark in setting.benchmarks
        for position, question in enumerate(load_questions(setting.project.root, benchmark))
    ]
    return pd.DataFrame(rows, columns=list(TABLE.names))
