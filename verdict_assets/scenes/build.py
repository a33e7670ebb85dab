"""The benchmark files of the scenes world: test questions with pictures and scenes, as one Parquet each.

Belongs here: which questions a benchmark holds and how they are written. The same call gives the same bytes.
"""

import hashlib
from pathlib import Path

import duckdb
import pandas as pd

from verdict_assets.scenes.questions import KINDS, LETTERS, make_question
from verdict_assets.scenes.world import generator, png


def benchmark_rows(benchmark: str, size: int) -> pd.DataFrame:
    """``size`` test questions: kinds in turn, right answers on each letter equally often.

    Raises ValueError for an unknown benchmark.
    """
    if benchmark not in KINDS:
        raise ValueError(f"unknown benchmark {benchmark!r}; the scenes world has {', '.join(KINDS)}")
    kinds = KINDS[benchmark]
    rows = []
    for position in range(size):
        kind = kinds[position % len(kinds)]
        gold = position // len(kinds) % len(LETTERS)
        scene, question = make_question(generator("test", benchmark, position), kind, "test", gold)
        picture = png(scene)
        rows.append(
            {
                "position": position,
                "question_id": f"{benchmark}-{position:04d}",
                "type": kind,
                "question": question.text,
                "options": list(question.options),
                "gold": question.gold,
                "image_sha256": [hashlib.sha256(picture).hexdigest()],
                "images": [picture],
                "scene": scene.to_json(),
                "asked": question.to_json(),
            }
        )
    return pd.DataFrame(rows)


def write_benchmark(benchmark: str, size: int, folder: Path) -> Path:
    """Write ``<folder>/<benchmark>.parquet`` and return its path."""
    frame = benchmark_rows(benchmark, size)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{benchmark}.parquet"
    draft = path.with_suffix(".part")
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("frame", frame)
        connection.execute(
            "COPY (SELECT * FROM frame ORDER BY position) TO ? (FORMAT parquet, COMPRESSION zstd)",
            [str(draft)],
        )
    draft.replace(path)
    return path
