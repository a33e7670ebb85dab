"""Schema of `raw_scores`."""

from verdict_assets.schemas.common import (
    BENCHMARK,
    CANDIDATE,
    NODE,
    QUESTION_ID,
    SCORE_SET,
    STATES,
    STUDY,
    share,
)
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="raw_scores",
    meaning="Every judge's reply to every judged candidate, as it came and as the strict parser reads it.",
    columns=(
        STUDY,
        BENCHMARK,
        QUESTION_ID,
        NODE,
        CANDIDATE,
        Column("judge", Type.TEXT, "Name of the judge in the study."),
        SCORE_SET,
        Column("reply", Type.TEXT, "The judge's reply, unchanged."),
        Column("state", Type.TEXT, "State of the response.", values=STATES),
        share(
            "score", "The score read from the reply; null with a reason where it is missing.", nullable=True
        ),
        Column("reason", Type.TEXT, "Why the score is missing; null where it is not.", nullable=True),
    ),
    key=("study", "benchmark", "question_id", "node", "candidate", "judge", "score_set"),
    partitioned=True,
)
