"""Questions of a benchmark, in the benchmark's own order.

Belongs here: the `Question` record and the reader of question files (Parquet with the picture's bytes, one
row a question). Does not belong here: how questions are made (`scenes`) or asked (`inference.prompts`).
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError


@dataclass(frozen=True, slots=True)
class Question:
    """One question; ``gold`` is a letter, ``options`` are texts in the order A, B, ..."""

    benchmark: str
    question_id: str
    type: str
    question: str
    options: tuple[str, ...]
    gold: str
    image_sha256: tuple[str, ...]


def benchmark_file(root: Path, benchmark: str) -> Path:
    """The question file of a benchmark. Raises UserError, naming those there are, when it is missing."""
    folder = Project(root).benchmarks
    path = folder / f"{benchmark}.parquet"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.parquet"))) or "none"
        raise UserError(
            f"there is no benchmark {benchmark!r}; the project has: {known}",
            where=str(path),
            remedy="check the name in the study, or restore the file (git checkout, or dvc pull)",
        )
    return path


def load_questions(root: Path, benchmark: str, limit: int | None = None) -> list[Question]:
    """The first ``limit`` questions (all by default) of ``benchmark`` in the project at ``root``."""
    columns = ("question_id", "type", "question", "options", "gold", "image_sha256")
    return [
        Question(benchmark, key, kind, text, tuple(options), gold, tuple(images))
        for key, kind, text, options, gold, images in read_columns(root, benchmark, columns, limit)
    ]


def column_hashes(root: Path, benchmark: str) -> dict[str, str]:
    """sha256 of every column of a question file that has to do with asking and judging answers.

    Tells what was changed where the file's hash only says that something was. Raises UserError when the file
    cannot be read.
    """
    columns = ("question_id", "question", "options", "gold", "image_sha256", "images")
    rows = read_columns(root, benchmark, columns)
    return {
        name: hashlib.sha256(repr([row[at] for row in rows]).encode()).hexdigest()
        for at, name in enumerate(columns)
    }


def read_columns(
    root: Path, benchmark: str, columns: tuple[str, ...], limit: int | None = None
) -> list[tuple[Any, ...]]:
    """Columns of a question file, in order of position. Raises UserError when the file cannot be read."""
    path = benchmark_file(root, benchmark)
    with duckdb.connect() as connection:
        try:
            relation = connection.execute(
                f"SELECT {', '.join(columns)} FROM read_parquet(?) ORDER BY position LIMIT ?",
                [str(path), limit if limit is not None else 1 << 62],
            )
            return relation.fetchall()
        except duckdb.Error as error:
            raise UserError(
                f"the question file cannot be read: {error}",
                where=str(path),
                remedy="restore it (git checkout, or dvc pull)",
            ) from error
