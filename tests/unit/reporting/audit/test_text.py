"""What a reader of the terminal is told of changes."""

from __future__ import annotations

from verdict_assets.reporting.audit import text
from verdict_assets.reporting.audit.changes import Change, Kind
from verdict_assets.reporting.audit.reported import Difference

TAU = Change(Kind.PARAMETER, "consensus.tau", "0.6", "0.61")
SHARD = Change(Kind.LAYER, "store/shard-1: was changed", None, None, refused=True)
NUMBERS = ["a/b/c", "a/b/d", "e/f/g", "e/f/h"]


def test_a_change_is_told_with_what_it_touches_and_what_to_do() -> None:
    lines = text.findings({TAU: ["a/b/c"], SHARD: NUMBERS})
    assert lines[0] == "CHANGED  parameter consensus.tau: 0.6 -> 0.61"
    assert lines[1] == "  touches 1 number (1 of a): a/b/c"
    assert "recompute" in lines[2]
    assert lines[3] == "REFUSED  layer store/shard-1: was changed"
    assert lines[4].startswith("  touches 4 numbers (2 of a, 2 of e): a/b/c, a/b/d, e/f/g, ...")
    assert "restore" in lines[5]


def test_a_difference_names_both_values() -> None:
    (line,) = text.differences([Difference("a/b/c", "value", "0.5", "")])
    assert line == "DIFFERS  a/b/c: value is reported as 0.5, computed nothing"


def test_the_last_line_says_how_it_came_out() -> None:
    different = [Difference("a/b/c", "value", "0.5", "0.6"), Difference("a/b/c", "lower", "0.4", "0.5")]
    assert text.summary(4, {TAU: NUMBERS}, different, verified=True).startswith("1 of 4 numbers are not")
    assert text.summary(1, {TAU: NUMBERS}, [], verified=False) == "1 number audited: 1 change upstream"
    assert text.summary(4, {}, [], verified=False) == "4 numbers audited: nothing upstream has changed"
    assert text.summary(4, {}, [], verified=True).endswith("the same to the bit")
