"""Schema of `consensus`."""

from verdict_assets.schemas.common import BENCHMARK, CANDIDATE, NODE, QUESTION_ID, SCORE_SET, STUDY, share
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="consensus",
    meaning="The judges' consensus on every judged candidate at the default parameters.",
    columns=(
        STUDY,
        BENCHMARK,
        QUESTION_ID,
        NODE,
        CANDIDATE,
        SCORE_SET,
        Column(
            "complete", Type.BOOLEAN, "Whether every judge's score is there; if not, the numbers are null."
        ),
        share("raw_mean", "Unweighted mean of the raw scores.", nullable=True),
        share("raw_mad", "Mean absolute deviation of the raw scores about their mean.", nullable=True),
        share("raw_variance", "Population variance of the raw scores.", nullable=True),
        Column("adjusted", Type.REALS, "Adjusted scores in the order of the study's judges.", nullable=True),
        share("mean", "Mean of the adjusted scores.", nullable=True),
        share(
            "dispersion", "Mean absolute deviation of the adjusted scores about their mean.", nullable=True
        ),
        Column("accepted", Type.BOOLEAN, "Whether mean and dispersion pass both thresholds.", nullable=True),
    ),
    key=("study", "benchmark", "question_id", "node", "candidate", "score_set"),
)
