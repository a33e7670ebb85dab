"""How numbers and the terminal table look."""

from __future__ import annotations

import pytest

from verdict_assets.reporting import labels, show
from verdict_assets.reporting.ledger.entry import Entry, Kind
from verdict_assets.reporting.text import main_table
from verdict_assets.verification.catalogue import named_strategies


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Kind.SHARE, 0.785, "78.5"),
        (Kind.DIFFERENCE, 0.035, "+3.5"),
        (Kind.DIFFERENCE, -0.035, "−3.5"),
        (Kind.DIFFERENCE, -0.0004, "0.0"),
        (Kind.PROBABILITY, 0.0004, "< 0.001"),
        (Kind.PROBABILITY, 1.0, "1.000"),
        (Kind.COUNT, 12345.0, "12\u202f345"),
        (Kind.COUNT, 4.5, "4.5"),
        (Kind.REAL, 2.0, "2"),
        (Kind.REAL, -0.12345, "−0.123"),
    ],
)
def test_numbers(kind: Kind, value: float, text: str) -> None:
    assert show.number(value, kind) == text


def test_parts_of_an_entry() -> None:
    entry = Entry("a/b/c", Kind.SHARE, 0.5, "x", numerator=100, denominator=200, lower=0.43, upper=0.57)
    assert (show.value(entry), show.interval(entry), show.counts(entry)) == (
        "50.0",
        "43.0–57.0",
        "100 of 200",
    )
    empty = Entry("a/b/d", Kind.SHARE, None, "x")
    assert (show.value(empty), show.interval(empty), show.counts(empty)) == ("–", "", "")
    assert show.deviation(entry) == ""
    spread = Entry("a/b/e", Kind.DIFFERENCE, 0.1, "x", deviation=0.0312)
    assert (show.value(spread), show.deviation(spread)) == ("+10.0", "3.1")


def test_every_strategy_of_the_catalogue_has_words() -> None:
    catalogue = named_strategies({})
    assert set(catalogue) == set(labels.STRATEGIES)
    for slug, strategy in catalogue.items():
        assert labels.STRATEGIES[slug].tests == bool(strategy.gate), slug
    assert labels.strategy("new_rule").name == "new rule"


def test_table_of_a_closed_world(closed_world) -> None:
    text = main_table(closed_world.comparison())
    lines = text.splitlines()
    assert lines[0] == "main · scenes_2d · 20 questions"
    assert lines[1].startswith("strategy")
    assert [line.split("  ")[0] for line in lines[3:5]] == ["Base", "VERDICT"]
    assert len({len(line) for line in lines[1:]}) <= 2, "columns are aligned"
    accuracy = closed_world.comparison().set_index("strategy").loc["verdict", "accuracy"]
    assert f"{100 * accuracy:.1f}" in lines[4]


def test_table_of_an_open_world_shows_bounds_alone(open_world) -> None:
    lines = main_table(open_world.comparison()).splitlines()
    assert "in 0.0–100.0" in lines[4]
    assert lines[4].split()[1] == "–"


def test_score_sets_are_named_where_there_are_several(closed_world) -> None:
    frame = closed_world.comparison()
    other = frame[frame["strategy"] == "verdict"].assign(score_set="sampled-0")
    import pandas as pd

    text = main_table(pd.concat([frame, other], ignore_index=True))
    assert "VERDICT [greedy]" in text
    assert "VERDICT [sampled-0]" in text
