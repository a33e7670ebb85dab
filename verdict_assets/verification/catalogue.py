"""Every named strategy: the rules the papers compare and the controls they lack.

Belongs here: strategies that a study or a report calls by name. Does not belong here: the points of
parameter sweeps (`sweeps`).

Two rules of the papers draw at random. Candidates of a node are exchangeable, so a uniform draw has the
distribution of the lowest index: *Random* (uniform over all candidates) is `base` and has no row of its
own, and *No Selection* (uniform among the accepted) takes the lowest accepted index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from verdict_assets.verification.settings import Settings, read_settings
from verdict_assets.verification.strategy import Missing, Scores, Side, Statistic, Stop, Strategy, Threshold

MAJORITY = 0.5
"""More than this share of the judges must vote for a candidate: at least floor(m/2) + 1 of m."""


def named_strategies(
    parameters: Mapping[str, object], judges: Sequence[str] | None = None
) -> dict[str, Strategy]:
    """Every named strategy by its slug, from a mapping of the shape of `params.yaml`.

    `judges` gives the order in which scores stand, by default that of the stubbornness. Raises ValueError
    as `read_settings`.
    """
    settings = read_settings(parameters, judges)
    strategies = [base(), verdict(settings), *_rivals(settings), *_ablations(settings), *_controls(settings)]
    return {strategy.name: strategy for strategy in strategies}


def base() -> Strategy:
    """Candidate 0 at every step, nothing judged: one ordinary chain of the base model."""
    return Strategy("base", Scores(), (), Statistic.INDEX, Statistic.INDEX, stop=Stop(judged_steps=0))


def verdict(settings: Settings) -> Strategy:
    """Accept by mean > tau and dispersion < epsilon of adjusted scores; take the largest mean.

    Where none is accepted, the largest mean - dispersion (Algorithm 1).
    """
    return Strategy(
        "verdict",
        Scores(settings.stubbornness),
        double_test(settings.tau, settings.epsilon),
        Statistic.MEAN,
        Statistic.MEAN_MINUS_DISPERSION,
        settings.missing,
    )


def double_test(tau: float, epsilon: float) -> tuple[Threshold, ...]:
    """The gate mean > tau and dispersion < epsilon."""
    return (
        Threshold(Statistic.MEAN, Side.ABOVE, tau),
        Threshold(Statistic.DISPERSION, Side.BELOW, epsilon),
    )


def variance_rule(settings: Settings, limit: float, name: str = "variance") -> Strategy:
    """Raw population variance below a limit, then the largest raw mean."""
    gate = (Threshold(Statistic.VARIANCE, Side.BELOW, limit),)
    return Strategy(name, Scores(), gate, Statistic.MEAN, Statistic.MEAN, settings.missing)


def _rivals(settings: Settings) -> list[Strategy]:
    """Aggregation rules on raw scores; where the papers name no fallback, it is the raw mean."""
    majority = (Threshold(Statistic.VOTES, Side.ABOVE, MAJORITY),)
    return [
        _ungated("mean", Scores(), Statistic.MEAN, settings),
        _ungated("max", Scores(), Statistic.MAXIMUM, settings),
        _ungated("min", Scores(), Statistic.MINIMUM, settings),
        Strategy("majority", Scores(), majority, Statistic.MEAN, Statistic.MEAN, settings.missing),
        variance_rule(settings, settings.variance_limit),
    ]


def _ablations(settings: Settings) -> list[Strategy]:
    """VERDICT with one mechanism taken out or exchanged."""
    whole = verdict(settings)
    return [
        replace(whole, name="no_rejection", gate=(), rank=Statistic.MEAN_MINUS_DISPERSION),
        replace(whole, name="no_selection", rank=Statistic.INDEX),
        replace(whole, name="raw_average", scores=Scores()),
        replace(
            whole,
            name="raw_average_rescaled",
            scores=Scores(),
            gate=double_test(settings.tau, settings.raw_average_epsilon_rescaled),
        ),
        _ungated("weighted_mean", whole.scores, Statistic.MEAN, settings),
        replace(whole, name="random_fallback", fallback=Statistic.INDEX),
        replace(whole, name="verdict_present", missing=Missing.PRESENT),
    ]


def _controls(settings: Settings) -> list[Strategy]:
    """One judge alone, and VERDICT with scores that belong to another candidate, which must equal Base."""
    alone = [
        _ungated(f"{judge}_only", Scores(judges=(position,)), Statistic.MEAN, settings)
        for position, judge in enumerate(settings.judges)
    ]
    whole = verdict(settings)
    return [*alone, replace(whole, name="permuted", scores=replace(whole.scores, permuted=True))]


def _ungated(name: str, scores: Scores, rank: Statistic, settings: Settings) -> Strategy:
    return Strategy(name, scores, (), rank, rank, settings.missing)
