from __future__ import annotations

import json
from pathlib import Path

import pytest

from verdict_assets.inference.parse import Missing, ParsedScore, parse_score
from verdict_assets.inference.request import Finish

CASES = Path(__file__).parents[2] / "data" / "cases" / "scores.jsonl"


@pytest.mark.parametrize("line", CASES.read_text(encoding="utf-8").splitlines())
def test_cases(line: str) -> None:
    case = json.loads(line)
    parsed = parse_score(case["text"], case["finish_reason"])
    assert parsed.score == case["want"]
    assert (parsed.reason is None) == (parsed.score is not None)


@pytest.mark.parametrize(
    ("text", "score"),
    [("100%", 1.0), ("0%", 0.0), ("7.5%", 0.075), ("10/10", 1.0), ("7 / 10", 0.7), ("score : 0.5", 0.5),
     ("SCORE:1", 1.0), ("**Score: 0.8**", 0.8), (" 0.3 ", 0.3), ("0.99999999999999999999", 1.0)],
)  # fmt: skip
def test_accepted(text: str, score: float) -> None:
    assert parse_score(text, "stop") == ParsedScore(score)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("101%", Missing.OUT_OF_RANGE), ("11/10", Missing.OUT_OF_RANGE), ("-0", Missing.OUT_OF_RANGE),
        ("1.00000000000000000001", Missing.OUT_OF_RANGE), ("9" * 5000, Missing.OUT_OF_RANGE),
        ("Reward: 10", Missing.NOT_A_NUMBER), ("0,8", Missing.NOT_A_NUMBER), ("0.", Missing.NOT_A_NUMBER),
        ("0.8.", Missing.NOT_A_NUMBER), ("1e-1", Missing.NOT_A_NUMBER), ("+0.5", Missing.NOT_A_NUMBER),
        ("01", Missing.NOT_A_NUMBER), ("٠.٨", Missing.NOT_A_NUMBER), ("inf", Missing.NOT_A_NUMBER),
        ("0.7 0.8", Missing.NOT_A_NUMBER), ("0.8\n0.9", Missing.NOT_A_NUMBER),
        ("**0.7", Missing.NOT_A_NUMBER),
        ("0.7 because it is right", Missing.NOT_A_NUMBER), ("4/5", Missing.NOT_A_NUMBER),
        ('{"score": 0.8}', Missing.NOT_A_NUMBER), ("\n", Missing.EMPTY), (" \t", Missing.EMPTY),
    ],
)  # fmt: skip
def test_missing(text: str, reason: Missing) -> None:
    assert parse_score(text, "stop") == ParsedScore(None, reason)


@pytest.mark.parametrize("text", ["0.8", "0.", "", "1"])
def test_a_cut_reply_has_no_score(text: str) -> None:
    assert parse_score(text, "length") == ParsedScore(None, Missing.TRUNCATED)


@pytest.mark.parametrize("finish", ["error", "abort", "repetition", "content_filter", "", "STOP"])
def test_an_unfinished_reply_has_no_score(finish: str) -> None:
    assert parse_score("0.8", finish) == ParsedScore(None, Missing.UNFINISHED)


@pytest.mark.parametrize("finish", [Finish.EOS, Finish.NEWLINE])
def test_our_own_names_of_an_end(finish: Finish) -> None:
    assert parse_score("0.8", finish) == ParsedScore(0.8)
