"""Every point of the papers' parameter sweeps as a strategy.

Belongs here: the grids of the experiments and the slugs of their points. Does not belong here: named
strategies (`catalogue`). A point at the default parameters is VERDICT under another name; a tree closed for
one is closed for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from verdict_assets.verification.catalogue import double_test, variance_rule, verdict
from verdict_assets.verification.settings import Settings, read_settings
from verdict_assets.verification.strategy import Scores, Strategy

STUBBORNNESS_GRID = (0.3, 0.8, 1.0, 1.5, 2.0)
TAU_GRID = (1e-4, 1e-3, 1e-2, 1e-1, 0.6, 1.0, 10.0)
EPSILON_GRID = (0.001, 0.05, 0.1, 0.5, 1.0, 2.5, 3.0)
JOINT_EPSILON_GRID = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 2.5)
VARIANCE_GRID = (0.01, 0.02, 0.05, 0.068, 0.1, 0.15, 0.2)


def sweep_points(
    parameters: Mapping[str, object], judges: Sequence[str] | None = None
) -> dict[str, dict[str, Strategy]]:
    """The sweeps by name, each a mapping from a point's slug to its strategy; no two sweeps share a slug.

    `parameters` and `judges` as for `named_strategies`.
    """
    settings = read_settings(parameters, judges)
    return {
        "stubbornness": _by_slug(_stubbornness(settings)),
        "swap": _by_slug(_swaps(settings)),
        "tau": _by_slug(_point(settings, tau=tau) for tau in TAU_GRID),
        "epsilon": _by_slug(_point(settings, epsilon=epsilon) for epsilon in EPSILON_GRID),
        "joint": _by_slug(
            _point(settings, tau=tau, epsilon=epsilon) for tau in TAU_GRID for epsilon in JOINT_EPSILON_GRID
        ),
        "variance": _by_slug(
            variance_rule(settings, limit, f"variance_{_digits(limit)}") for limit in VARIANCE_GRID
        ),
    }


def _stubbornness(settings: Settings) -> Iterable[Strategy]:
    """One judge's lambda at a time, the others as they are."""
    for position, judge in enumerate(settings.judges):
        for weight in STUBBORNNESS_GRID:
            weights = list(settings.stubbornness)
            weights[position] = weight
            yield replace(
                verdict(settings),
                name=f"stubbornness_{judge}_{_digits(weight)}",
                scores=Scores(tuple(weights)),
            )


def _swaps(settings: Settings) -> Iterable[Strategy]:
    """Two judges exchange their lambdas."""
    for one, other in combinations(range(len(settings.judges)), 2):
        weights = list(settings.stubbornness)
        weights[one], weights[other] = weights[other], weights[one]
        yield replace(
            verdict(settings),
            name=f"swap_{settings.judges[one]}_{settings.judges[other]}",
            scores=Scores(tuple(weights)),
        )


def _point(settings: Settings, *, tau: float | None = None, epsilon: float | None = None) -> Strategy:
    """VERDICT at other thresholds; the slug names those that were given."""
    parts = [
        f"{name}_{_digits(value)}"
        for name, value in (("tau", tau), ("epsilon", epsilon))
        if value is not None
    ]
    gate = double_test(settings.tau if tau is None else tau, settings.epsilon if epsilon is None else epsilon)
    return replace(verdict(settings), name="_".join(parts), gate=gate)


def _digits(value: float) -> str:
    """The value as part of a slug: 0.0001 is 0_0001, 10.0 is 10."""
    return f"{value:.10f}".rstrip("0").rstrip(".").replace(".", "_")


def _by_slug(strategies: Iterable[Strategy]) -> dict[str, Strategy]:
    return {strategy.name: strategy for strategy in strategies}
