"""Schema of `questions`."""

from verdict_assets.schemas.common import BENCHMARK, LETTERS, QUESTION_ID, count
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="questions",
    meaning="The questions of all benchmarks that a study uses, as their loaders read them.",
    columns=(
        BENCHMARK,
        QUESTION_ID,
        count(
            "position",
            "Place in the benchmark's order, from 0; a study of n questions takes the first n.",
        ),
        Column("type", Type.TEXT, "Kind of question, for example relation, count, depth or distance."),
        Column("question", Type.TEXT, "The question's text, without its options."),
        Column("options", Type.TEXTS, "The options' texts in the order A, B, ..."),
        Column("gold", Type.TEXT, "Letter of the right option.", values=LETTERS),
        Column(
            "image_sha256",
            Type.TEXTS,
            "sha256 of each picture's file as shipped, in the order of the prompt.",
        ),
    ),
    key=("benchmark", "question_id"),
)
