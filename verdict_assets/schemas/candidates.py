"""Schema of `candidates`."""

from verdict_assets.schemas.common import BENCHMARK, CANDIDATE, ENDS, NODE, QUESTION_ID, STATES, STUDY, count
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="candidates",
    meaning="Every candidate step that was drawn, with the node it was drawn at and the node it leads to.",
    columns=(
        STUDY,
        BENCHMARK,
        QUESTION_ID,
        NODE,
        Column(
            "parent",
            Type.TEXT,
            "Node that the prefix without its last step belongs to; null at the root.",
            nullable=True,
        ),
        count("depth", "Steps in the node's prefix.", unit="steps"),
        CANDIDATE,
        Column("text", Type.TEXT, "The step as drawn, without leading blank lines and the closing newline."),
        Column("finish", Type.TEXT, "How generation ended.", values=("eos", "newline", "length", "error")),
        Column("state", Type.TEXT, "State of the response.", values=STATES),
        count("blank_lines", "Blank lines that were drawn before the step and belong to its prefix."),
        Column(
            "child",
            Type.TEXT,
            "Node that the prefix with this step belongs to; equal texts have equal children. "
            "Null where the step cannot be appended.",
            nullable=True,
        ),
        Column(
            "child_end",
            Type.TEXT,
            "Why the child is a leaf; null unless it is one.",
            nullable=True,
            values=ENDS,
        ),
    ),
    key=("study", "benchmark", "question_id", "node", "candidate"),
    partitioned=True,
)
