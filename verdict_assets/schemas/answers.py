"""Schema of `answers`."""

from verdict_assets.schemas.common import BENCHMARK, ENDS, LETTERS, QUESTION_ID, STUDY
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="answers",
    meaning="The answer at every leaf that was reached, read from its trace by written rules.",
    columns=(
        STUDY,
        BENCHMARK,
        QUESTION_ID,
        Column("node", Type.TEXT, "Key of the leaf."),
        Column("end", Type.TEXT, "Why the trace ended there.", values=ENDS),
        Column(
            "answer",
            Type.TEXT,
            "The option's letter; null where none could be read.",
            nullable=True,
            values=LETTERS,
        ),
        Column("rule", Type.TEXT, "Name of the rule that read the answer or found none."),
        Column("correct", Type.BOOLEAN, "Whether the answer is the right option; a missing answer is not."),
    ),
    key=("study", "benchmark", "question_id", "node"),
    partitioned=True,
)
