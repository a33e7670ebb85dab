"""Schema of `outcomes`."""

from verdict_assets.schemas.common import (
    BENCHMARK,
    ENDS,
    LETTERS,
    QUESTION_ID,
    SCORE_SET,
    STRATEGY,
    STUDY,
    count,
)
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="outcomes",
    meaning="Where every strategy's path ended on every question, and what it counted on the way.",
    columns=(
        STUDY,
        BENCHMARK,
        STRATEGY,
        SCORE_SET,
        QUESTION_ID,
        Column("closed", Type.BOOLEAN, "Whether the path reached a leaf with a known answer."),
        Column("leaf", Type.TEXT, "The leaf's node; null where the path is not closed.", nullable=True),
        Column(
            "answer",
            Type.TEXT,
            "The answer's letter; null where none could be read.",
            nullable=True,
            values=LETTERS,
        ),
        Column(
            "correct",
            Type.BOOLEAN,
            "Whether the answer is right; null where the path is not closed.",
            nullable=True,
        ),
        Column(
            "end", Type.TEXT, "Why the path ended; null where it is not closed.", nullable=True, values=ENDS
        ),
        count("steps", "Steps on the path.", unit="steps"),
        count("judged_steps", "Steps chosen among judged candidates.", unit="steps"),
        count("fallback_steps", "Judged steps at which no candidate passed.", unit="steps"),
        count("judged_candidates", "Candidates at the judged steps.", unit="candidates"),
        count("accepted_candidates", "Judged candidates that passed the gate.", unit="candidates"),
        count("missing_scores", "Scores missing at the judged steps.", unit="scores"),
    ),
    key=("study", "benchmark", "strategy", "score_set", "question_id"),
)
