"""Strategies are checked values."""

import pytest

from verdict_assets.verification.strategy import Scores, Stop


@pytest.mark.parametrize("judges", [(), (1, 0), (0, 0)])
def test_judges_are_distinct_and_ascending(judges: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="distinct positions in ascending order"):
        Scores(judges=judges)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("inf"), float("nan")])
def test_stubbornness_is_positive_and_finite(weight: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        Scores((1.0, weight))


def test_steps_are_not_negative() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        Stop(judged_steps=-1)
