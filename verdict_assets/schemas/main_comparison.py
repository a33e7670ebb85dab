"""Schema of `main_comparison`."""

from verdict_assets.schemas.common import ACCURACY_UNIT, BENCHMARK, SCORE_SET, STRATEGY, STUDY, count, share
from verdict_assets.schemas.table import Column, Table, Type


def _against(slug: str, rival: str) -> tuple[Column, ...]:
    """The paired comparison with one rival; null for the rival itself and unless both are finished."""
    return (
        Column(
            f"wins_{slug}",
            Type.INTEGER,
            f"Questions that are right here and wrong with {rival}.",
            unit="questions",
            nullable=True,
            low=0,
        ),
        Column(
            f"losses_{slug}",
            Type.INTEGER,
            f"Questions that are wrong here and right with {rival}.",
            unit="questions",
            nullable=True,
            low=0,
        ),
        _difference(f"difference_{slug}", f"Accuracy minus that of {rival} on the same questions."),
        _difference(f"difference_{slug}_lower", "Lower end of that difference's bootstrap interval."),
        _difference(f"difference_{slug}_upper", "Upper end of that difference's bootstrap interval."),
        share(f"p_{slug}", f"Exact two-sided McNemar test against {rival}.", nullable=True),
        share(
            f"smallest_detectable_{slug}",
            f"Smallest difference to {rival} that this many questions would usually have shown.",
            nullable=True,
            unit=ACCURACY_UNIT,
        ),
    )


def _rate(name: str, of: str, unit: str) -> tuple[Column, ...]:
    """The ends of a rate's interval; null unless every path is finished."""
    return tuple(
        share(
            f"{name}_{end}",
            f"{end.capitalize()} end of the interval of {of}, questions taken as independent.",
            nullable=True,
            unit=unit,
        )
        for end in ("lower", "upper")
    )


def _difference(name: str, meaning: str) -> Column:
    return Column(name, Type.REAL, meaning, unit=ACCURACY_UNIT, nullable=True, low=-1.0, high=1.0)


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
        *_rate("acceptance", "accepted_candidates / judged_candidates", "share of candidates"),
        *_rate("fallback", "fallback_steps / judged_steps", "share of steps"),
        count("capped", "Paths stopped by the cap on steps.", unit="questions"),
        *_against("base", "Base"),
        *_against("verdict", "VERDICT"),
    ),
    key=("study", "benchmark", "strategy", "score_set"),
)
