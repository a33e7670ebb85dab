"""Names and one-line rules of strategies, benchmarks and judges, as the report writes them.

Belongs here: words for slugs. Does not belong here: numbers, and what a strategy does
(`verification.catalogue`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """How strategies are grouped in tables and plots."""

    MAIN = "Base and VERDICT"
    RIVAL = "Other rules"
    ABLATION = "VERDICT without a part"
    CONTROL = "Controls"


@dataclass(frozen=True, slots=True)
class Label:
    """What a strategy is called, its rule in a line, and whether it has a test that a candidate can fail."""

    name: str
    rule: str
    family: Family
    tests: bool = False


STRATEGIES: dict[str, Label] = {
    "base": Label("Base", "first candidate at every step, nothing judged", Family.MAIN),
    "verdict": Label(
        "VERDICT",
        "adjusted mean above tau and dispersion below epsilon, then the largest adjusted mean",
        Family.MAIN,
        tests=True,
    ),
    "verdict_present": Label(
        "VERDICT, present judges", "VERDICT by the judges whose score could be read", Family.MAIN, tests=True
    ),
    "mean": Label("Mean", "largest raw mean", Family.RIVAL),
    "max": Label("Max", "largest raw maximum", Family.RIVAL),
    "min": Label("Min", "largest raw minimum", Family.RIVAL),
    "majority": Label(
        "Majority", "most judges above one half, then the largest raw mean", Family.RIVAL, tests=True
    ),
    "variance": Label(
        "Variance", "raw variance below a limit, then the largest raw mean", Family.RIVAL, tests=True
    ),
    "raw_average": Label(
        "Raw Average",
        "the double test on raw mean and raw dispersion, epsilon as published",
        Family.ABLATION,
        tests=True,
    ),
    "raw_average_rescaled": Label(
        "Raw Average, rescaled",
        "the same with epsilon on the scale of raw dispersion",
        Family.ABLATION,
        tests=True,
    ),
    "no_rejection": Label("No Rejection", "largest mean minus dispersion, no test", Family.ABLATION),
    "no_selection": Label(
        "No Selection", "the double test, then the first that passes", Family.ABLATION, tests=True
    ),
    "weighted_mean": Label("Weighted Mean", "largest adjusted mean, no test", Family.ABLATION),
    "random_fallback": Label(
        "Random fallback", "VERDICT, but the first candidate where none passes", Family.ABLATION, tests=True
    ),
    "visual_only": Label("Visual judge only", "largest visual score", Family.CONTROL),
    "logical_only": Label("Logical judge only", "largest logical score", Family.CONTROL),
    "contextual_only": Label("Contextual judge only", "largest contextual score", Family.CONTROL),
    "permuted": Label(
        "Permuted scores",
        "VERDICT with scores of another candidate: must equal Base",
        Family.CONTROL,
        tests=True,
    ),
}


def strategy(slug: str) -> Label:
    """The label of a strategy; one that has no words yet is called by its slug."""
    return STRATEGIES.get(slug, Label(slug.replace("_", " "), "", Family.RIVAL))


def position(slug: str) -> int:
    """Place of a strategy in every table and plot; unknown ones come last."""
    known = list(STRATEGIES)
    return known.index(slug) if slug in STRATEGIES else len(known)
