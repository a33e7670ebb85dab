"""Schema of `main_comparison`."""

from verdict_assets.schemas.common import ACCURACY_UNIT, BENCHMARK, SCORE_SET, STRATEGY, STUDY, count, share
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="main_comparison",
    meaning="Every strategy on every benchmark: accuracy with its interval, rates, and paired differences.",
    columns=(
        STUDY,
        BENCHMARK,
        STRATEGY,
        SCORE_SET,
        count("questions", "Questions asked.", unit="questions"),
        count("closed", "Questions whose path is finished.", unit="questions"),
        count("correct", "Questions answered rightly.", unit="questions"),
        share(
            "accuracy",
            "Right among all; null unless every path is finished.",
            nullable=True,
            unit=ACCURACY_UNIT,
        ),
        share("lower", "Lower end of the accuracy's confidence interval.", nullable=True, unit=ACCURACY_UNIT),
        share("upper", "Upper end of the accuracy's confidence interval.", nullable=True, unit=ACCURACY_UNIT),
        share(
            "bound_lower",
            "Accuracy if every unfinished path turned out wrong.",
            nullable=True,
            unit=ACCURACY_UNIT,
        ),
        share(
            "bound_upper",
            "Accuracy if every unfinished path turned out right.",
            nullable=True,
            unit=ACCURACY_UNIT,
        ),
        count("accepted_candidates", "Judged candidates that passed the gate.", unit="candidates"),
        count("judged_candidates", "Candidates at the judged steps.", unit="candidates"),
        count("fallback_steps", "Judged steps at which no candidate passed.", unit="steps"),
        count("judged_steps", "Steps chosen among judged candidates.", unit="steps"),
        count("missing_scores", "Scores missing at the judged steps.", unit="scores"),
        count("capped", "Paths stopped by the cap on steps.", unit="questions"),
        Column(
            "difference_base",
            Type.REAL,
            "Accuracy minus Base's on the same questions.",
            nullable=True,
            unit=ACCURACY_UNIT,
            low=-1.0,
            high=1.0,
        ),
        share("p_base", "Exact paired test against Base.", nullable=True),
        Column(
            "difference_verdict",
            Type.REAL,
            "Accuracy minus VERDICT's on the same questions.",
            nullable=True,
            unit=ACCURACY_UNIT,
            low=-1.0,
            high=1.0,
        ),
        share("p_verdict", "Exact paired test against VERDICT.", nullable=True),
        share(
            "smallest_detectable",
            "Smallest difference to VERDICT that this many questions would show.",
            nullable=True,
            unit=ACCURACY_UNIT,
        ),
    ),
    key=("study", "benchmark", "strategy", "score_set"),
)
