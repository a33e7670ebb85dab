"""Schema of `selections`."""

from verdict_assets.schemas.common import BENCHMARK, NODE, QUESTION_ID, SCORE_SET, STRATEGY, STUDY, count
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="selections",
    meaning="Which candidate every strategy chose at every step of its own path.",
    columns=(
        STUDY,
        BENCHMARK,
        STRATEGY,
        SCORE_SET,
        QUESTION_ID,
        count("step", "Number of the step on the path, from 0.", unit="steps"),
        NODE,
        count("chosen", "Index of the chosen candidate."),
        count("accepted_count", "Candidates that passed the strategy's gate.", unit="candidates"),
        Column("fallback", Type.BOOLEAN, "Whether none passed and the strategy fell back on its ranking."),
        Column("tie", Type.BOOLEAN, "Whether the lowest index decided between equal candidates."),
        Column("incomplete", Type.BOOLEAN, "Whether a score was missing at the node."),
    ),
    key=("study", "benchmark", "strategy", "score_set", "question_id", "step"),
)
