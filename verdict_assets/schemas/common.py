"""Columns that several tables share, so that a word means the same everywhere."""

from verdict_assets.schemas.table import Column, Type

# Why a branch of the tree stopped: end of sequence, the cap on steps, three equal lines, or no text at all.
ENDS = ("eos", "cap", "loop", "empty")
# States of a stored response; an unparsable reply is an `ok` response that the parser refuses.
STATES = ("ok", "empty", "truncated", "refused", "error")
LETTERS = ("A", "B", "C", "D", "E", "F", "G", "H")

STUDY = Column("study", Type.TEXT, "Name of the study, as its file in studies/.")
BENCHMARK = Column("benchmark", Type.TEXT, "Name of the benchmark.")
QUESTION_ID = Column("question_id", Type.TEXT, "Id of the question within its benchmark.")
NODE = Column("node", Type.TEXT, "Key of the node: question, base model, sampling, seed and exact prefix.")
CANDIDATE = Column("candidate", Type.INTEGER, "Index of the candidate among those drawn at the node.", low=0)
STRATEGY = Column("strategy", Type.TEXT, "Name of the verification strategy.")
SCORE_SET = Column("score_set", Type.TEXT, "Which draw of the judges: `greedy`, or the number of a seed.")
ACCURACY_UNIT = "share of questions"


def count(name: str, meaning: str, unit: str | None = None) -> Column:
    """A column that counts something."""
    return Column(name, Type.INTEGER, meaning, unit=unit, low=0)


def share(name: str, meaning: str, *, nullable: bool = False, unit: str | None = None) -> Column:
    """A column with a number in [0, 1]."""
    return Column(name, Type.REAL, meaning, unit=unit, nullable=nullable, low=0.0, high=1.0)
