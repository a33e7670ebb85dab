"""The catalogue: which names there are, and that parameters reach the strategies."""

import re

import pytest

from verdict_assets.verification.catalogue import named_strategies
from verdict_assets.verification.settings import Settings, read_settings
from verdict_assets.verification.strategy import Missing, Side, Statistic, Threshold
from verdict_assets.verification.sweeps import sweep_points

NAMES = [
    "base", "verdict", "mean", "max", "min", "majority", "variance",
    "no_rejection", "no_selection", "raw_average", "raw_average_rescaled",
    "weighted_mean", "random_fallback", "verdict_present",
    "visual_only", "logical_only", "contextual_only", "permuted",
]  # fmt: skip
OTHER = {
    "consensus": {"stubbornness": {"first": 2, "second": 0.5}, "tau": 0.7, "epsilon": 0.05},
    "variance_limit": 0.1,
    "raw_average_epsilon_rescaled": 0.3,
    "missing": "present",
    "candidates": 3,
}
SLUG = re.compile(r"[a-z0-9][a-z0-9_]*")


def test_names() -> None:
    assert list(named_strategies({})) == NAMES
    assert all(strategy.name == name for name, strategy in named_strategies({}).items())


def test_two_names_never_mean_the_same() -> None:
    values = [
        (s.scores, s.gate, s.rank, s.fallback, s.missing, s.stop) for s in named_strategies({}).values()
    ]
    assert len(set(values)) == len(values)


def test_verdict_of_the_paper() -> None:
    verdict = named_strategies({})["verdict"]
    assert verdict.scores.stubbornness == (1.5, 1.0, 0.8)
    assert verdict.gate == (
        Threshold(Statistic.MEAN, Side.ABOVE, 0.6),
        Threshold(Statistic.DISPERSION, Side.BELOW, 0.1),
    )
    assert (verdict.rank, verdict.fallback) == (Statistic.MEAN, Statistic.MEAN_MINUS_DISPERSION)
    assert verdict.missing is Missing.LAST


def test_parameters_reach_the_strategies() -> None:
    strategies = named_strategies(OTHER)
    assert {"first_only", "second_only"} <= strategies.keys()
    assert strategies["second_only"].scores.judges == (1,)
    assert strategies["verdict"].scores.stubbornness == (2.0, 0.5)
    assert [test.limit for test in strategies["verdict"].gate] == [0.7, 0.05]
    assert [test.limit for test in strategies["raw_average"].gate] == [0.7, 0.05]
    assert [test.limit for test in strategies["raw_average_rescaled"].gate] == [0.7, 0.3]
    assert strategies["variance"].gate[0].limit == 0.1
    assert strategies["mean"].missing is Missing.PRESENT


def test_judges_may_stand_in_another_order() -> None:
    strategies = named_strategies(OTHER, ["second", "first"])
    assert strategies["verdict"].scores.stubbornness == (0.5, 2.0)
    assert strategies["first_only"].scores.judges == (1,)


def test_nothing_given_is_the_paper() -> None:
    assert read_settings({}) == Settings()


@pytest.mark.parametrize(
    ("parameters", "judges", "error", "message"),
    [
        (OTHER, ["third"], ValueError, "no stubbornness is given for third; it is given for first, second"),
        ({"missing": "zero"}, None, ValueError, "missing must be one of last, present, not 'zero'"),
        ({"variance_limit": "small"}, None, TypeError, "variance_limit must be a number"),
        ({"variance_limit": True}, None, TypeError, "variance_limit must be a number"),
        ({"consensus": 0.6}, None, TypeError, "consensus must be a mapping"),
        ({"consensus": {"stubbornness": [1, 2]}}, None, TypeError, "stubbornness must be a mapping"),
    ],
)
def test_refusals(
    parameters: dict[str, object], judges: list[str] | None, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read_settings(parameters, judges)


# Sweeps.


def test_sizes_of_sweeps() -> None:
    sizes = {name: len(points) for name, points in sweep_points({}).items()}
    assert sizes == {"stubbornness": 15, "swap": 3, "tau": 7, "epsilon": 7, "joint": 49, "variance": 7}


def test_slugs_are_well_formed_and_belong_to_one_strategy() -> None:
    slugs = [slug for points in sweep_points({}).values() for slug in points]
    assert len(set(slugs)) == len(slugs)
    assert not set(slugs) & set(NAMES)
    assert all(SLUG.fullmatch(slug) for slug in slugs)
    assert all(slug == point.name for points in sweep_points({}).values() for slug, point in points.items())


@pytest.mark.parametrize(
    ("sweep", "slug", "stubbornness", "tau", "epsilon"),
    [
        ("stubbornness", "stubbornness_logical_0_3", (1.5, 0.3, 0.8), 0.6, 0.1),
        ("swap", "swap_visual_contextual", (0.8, 1.0, 1.5), 0.6, 0.1),
        ("tau", "tau_0_0001", (1.5, 1.0, 0.8), 0.0001, 0.1),
        ("tau", "tau_10", (1.5, 1.0, 0.8), 10.0, 0.1),
        ("epsilon", "epsilon_2_5", (1.5, 1.0, 0.8), 0.6, 2.5),
        ("joint", "tau_0_1_epsilon_0_01", (1.5, 1.0, 0.8), 0.1, 0.01),
    ],
)
def test_points(sweep: str, slug: str, stubbornness: tuple[float, ...], tau: float, epsilon: float) -> None:
    point = sweep_points({})[sweep][slug]
    assert point.scores.stubbornness == stubbornness
    assert [test.limit for test in point.gate] == [tau, epsilon]


def test_each_sweep_holds_the_default() -> None:
    verdict = named_strategies({})["verdict"]
    value = (verdict.scores, verdict.gate, verdict.rank, verdict.fallback, verdict.missing, verdict.stop)
    for sweep, slug in {
        "stubbornness": "stubbornness_visual_1_5",
        "tau": "tau_0_6",
        "epsilon": "epsilon_0_1",
        "joint": "tau_0_6_epsilon_0_1",
    }.items():
        point = sweep_points({})[sweep][slug]
        assert (point.scores, point.gate, point.rank, point.fallback, point.missing, point.stop) == value
