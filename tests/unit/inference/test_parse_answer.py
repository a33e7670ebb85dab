from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from verdict_assets.inference.parse import ParsedAnswer, Rule, parse_answer

CASES = Path(__file__).parents[2] / "data" / "cases" / "answers.jsonl"
OPTIONS = {"A": "left", "B": "right", "C": "above", "D": "below"}


@pytest.mark.parametrize("line", CASES.read_text(encoding="utf-8").splitlines())
def test_cases(line: str) -> None:
    case = json.loads(line)
    assert parse_answer(case["text"], case["options"]).letter == case["want"]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        # What other extractors are known to get wrong.
        ("Let me look. The correct answer is (B).", "B"),
        ("Based on the picture one cannot tell.", None),
        (
            "The correct answer is B. Here's why: the lamp is above, so option B fits better than option A.",
            "B",
        ),
        ("Answer: **D**", "D"),
        ("I considered (A), but it is incorrect. Final answer: D.", "D"),
        ("The correct answer is d.", "D"),
        ("ANSWER: AB", None),
        ("ANSWER: A ... actually, ANSWER: B", "B"),
        ("The answer is B. Note that A is a common distractor.", "B"),
    ],
)
def test_known_failures_of_other_extractors(text: str, letter: str | None) -> None:
    assert parse_answer(text, OPTIONS).letter == letter


@pytest.mark.parametrize(
    ("text", "letter", "rule"),
    [
        ("b", "B", Rule.LETTER),
        ("(C).", "C", Rule.LETTER),
        ("B. right", "B", Rule.LETTER),
        ("(B) left", None, Rule.AMBIGUOUS),
        ("Right!", "B", Rule.TEXT),
        ("answer : b", "B", Rule.DECLARED),
        ("so the answer is : C .", "C", Rule.DECLARED),
        ("The answer is on the left side.", "A", Rule.DECLARED),
        ("The answer is A or B", None, Rule.AMBIGUOUS),
        ("Answer: A, B", None, Rule.AMBIGUOUS),
        ("Answer: B) left", None, Rule.AMBIGUOUS),
        ("The answer is E", None, Rule.NOT_AN_OPTION),
        ("The answer is not B", None, Rule.NOTHING),
        ("I choose C", "C", Rule.DECLARED),
        ("The right choice is (D)", "D", Rule.DECLARED),
        ("\\boxed{\\text{B}}", "B", Rule.LETTER),
        ("We get \\boxed{B} here", "B", Rule.DECLARED),
        ("first I look\nB", "B", Rule.LETTER),
        ("it must be (B) then", "B", Rule.MENTIONED),
        ("it must be (B) or (C)", None, Rule.NOTHING),
        ("(B) is wrong", None, Rule.NOTHING),
        ("neither left nor right but above", "C", Rule.TEXT),
        ("on the right, not on the left", "B", Rule.TEXT),
        ("above rather than below", "C", Rule.TEXT),
        ("left is wrong", None, Rule.NOTHING),
        ("left or right", None, Rule.AMBIGUOUS),
        ("I cannot tell whether it is left.", None, Rule.NOTHING),
        ("the square is left of it\nso it is above .", "C", Rule.TEXT),
        ("so it is above .\nI am done", "C", Rule.TEXT),
        ("leftmost", None, Rule.NOTHING),
        (" \n", None, Rule.EMPTY),
    ],
)
def test_rules(text: str, letter: str | None, rule: Rule) -> None:
    assert parse_answer(text, OPTIONS) == ParsedAnswer(letter, rule)


def test_a_longer_option_covers_a_shorter_one() -> None:
    options = {"A": "left", "B": "upper left", "C": "2", "D": "12"}
    assert parse_answer("it is in the upper left corner", options).letter == "B"
    assert parse_answer("I count 12 of them", options).letter == "D"
    assert parse_answer("upper left and left", options).rule is Rule.AMBIGUOUS


def test_articles_and_pronouns_are_no_letters() -> None:
    options = {"A": "a dog", "B": "a cat", "I": "a bird"}
    assert parse_answer("The answer is a cat", options) == ParsedAnswer("B", Rule.DECLARED)
    assert parse_answer("Answer: A cat", options) == ParsedAnswer("B", Rule.DECLARED)
    assert parse_answer("The answer is A because it barks", options).letter == "A"
    assert parse_answer("The answer is, I think, unknown", options).letter is None


def test_numbers_as_options() -> None:
    options = {"A": "1", "B": "2", "C": "1.5 m", "D": "15"}
    assert parse_answer("The answer is 2.", options).letter == "B"
    assert parse_answer("about 1.5 m away", options).letter == "C"


def test_two_options_with_one_text() -> None:
    options = {"A": "left", "B": "left"}
    assert parse_answer("left", options).rule is Rule.AMBIGUOUS
    assert parse_answer("answer: B", options).letter == "B"


def test_a_long_degenerate_text_is_read_in_time() -> None:
    for text in (
        "answer " * 20_000,
        "answer : " + "*" * 50_000,
        " " * 100_000 + "x",
        "(" * 50_000,
        "the left " * 10_000,
    ):
        start = time.perf_counter()
        parse_answer(text, OPTIONS)
        assert time.perf_counter() - start < 20
