"""Schema of `step_labels`."""

from verdict_assets.schemas.common import BENCHMARK, CANDIDATE, NODE, QUESTION_ID, STUDY
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="step_labels",
    meaning="The truth of every candidate step, by an oracle that knows the scene.",
    columns=(
        STUDY,
        BENCHMARK,
        QUESTION_ID,
        NODE,
        CANDIDATE,
        Column("readable", Type.BOOLEAN, "Whether the oracle can read the step."),
        Column(
            "true_of_scene",
            Type.BOOLEAN,
            "Whether what it says of the scene is so; null if unreadable.",
            nullable=True,
        ),
        Column(
            "follows",
            Type.BOOLEAN,
            "Whether it follows from the steps before it; null if unreadable.",
            nullable=True,
        ),
        Column(
            "relevant", Type.BOOLEAN, "Whether it bears on the question; null if unreadable.", nullable=True
        ),
        Column(
            "kind",
            Type.TEXT,
            "Kind of step, for example plan, perception or conclusion; null if unreadable.",
            nullable=True,
        ),
    ),
    key=("study", "benchmark", "question_id", "node", "candidate"),
)
