"""Schema of `judge_probe`."""

from verdict_assets.schemas.common import BENCHMARK, QUESTION_ID, STUDY, count, share
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="judge_probe",
    meaning="Every judge's reply to right and to corrupted steps of known truth after true steps; no row "
    "while a reply is missing, or where a benchmark does not know the truth of steps.",
    columns=(
        STUDY,
        BENCHMARK,
        QUESTION_ID,
        count("item", "Place among the question's items, from 0."),
        count("depth", "Number of steps before it; items of equal depth stand at the same place."),
        Column("kind", Type.TEXT, "`right`, or how the step was corrupted."),
        Column("held_out", Type.BOOLEAN, "Whether the training of judges contained no step of this kind."),
        Column("text", Type.TEXT, "The step."),
        Column("true_of_scene", Type.BOOLEAN, "Whether what it says of the scene is so."),
        Column("follows", Type.BOOLEAN, "Whether it follows from the steps before it."),
        Column("sound", Type.BOOLEAN, "Whether it is true of the scene, follows and bears on the question."),
        Column("judge", Type.TEXT, "Name of the judge in the study."),
        Column("reply", Type.TEXT, "The judge's reply, unchanged."),
        share(
            "score", "The score read from the reply; null with a reason where it is missing.", nullable=True
        ),
        Column("reason", Type.TEXT, "Why the score is missing; null where it is not.", nullable=True),
    ),
    key=("study", "benchmark", "question_id", "item", "judge"),
    partitioned=True,
)
