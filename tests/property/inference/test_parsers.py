from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.inference.parse import Missing, parse_answer, parse_score

OPTIONS = {"A": "left", "B": "right", "C": "above", "D": "below"}
LETTERS = st.sampled_from(sorted(OPTIONS))
WORDS = st.sampled_from(
    [
        "the",
        "answer",
        "is",
        "a",
        "A",
        "B",
        "(C)",
        "left",
        "right",
        "above",
        "not",
        "but",
        "neither",
        ".",
        ",",
        ":",
        "?",
        "\n",
        "**",
        "I",
        "option",
        "correct",
        "wrong",
        "cannot",
        "tell",
        "of",
    ]
)
TEXTS = st.text(max_size=60) | st.lists(WORDS, max_size=25).map(" ".join)


@settings(deadline=None, max_examples=200)
@given(TEXTS, st.sampled_from(["stop", "length", "eos", "other"]))
def test_a_score_is_in_range_or_missing_with_a_reason(text: str, finish: str) -> None:
    parsed = parse_score(text, finish)
    if parsed.score is None:
        assert isinstance(parsed.reason, Missing)
    else:
        assert 0.0 <= parsed.score <= 1.0
        assert parsed.reason is None


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 1000), st.sampled_from(["{}", "**{}**", "Score: {}", " {}\n"]))
def test_every_plain_number_in_range_is_read(thousandths: int, wrapper: str) -> None:
    assert parse_score(wrapper.format(f"{thousandths / 1000:.3f}"), "stop").score == thousandths / 1000


@settings(deadline=None, max_examples=100)
@given(st.decimals(allow_nan=False, allow_infinity=False, places=3).filter(lambda x: not 0 <= x <= 1))
def test_a_number_out_of_range_is_never_clipped(number: object) -> None:
    assert parse_score(f"{number:f}", "stop").score is None


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_an_answer_is_an_option_or_nothing(text: str) -> None:
    answer = parse_answer(text, OPTIONS)
    assert answer.letter is None or answer.letter in OPTIONS
    assert parse_answer(f" {text}\n ", OPTIONS) == answer


@settings(deadline=None, max_examples=100)
@given(
    LETTERS,
    st.sampled_from(
        ["The answer is {}.", "Answer: **{}**", "the correct answer is ({})", "answer : {}", "\\boxed{{{}}}"]
    ),
    st.sampled_from(["", "It might be (A), or B.\n", "The answer is A? No. ", "A cat sits left.\n"]),
    st.sampled_from(["", " Note that A is a common distractor.", "\nOption C looks tempting, it is above."]),
)
def test_the_last_declaration_wins_over_every_mention(
    letter: str, form: str, before: str, after: str
) -> None:
    assert parse_answer(before + form.format(letter) + after, OPTIONS).letter == letter


@settings(deadline=None, max_examples=60)
@given(LETTERS, st.permutations(sorted(OPTIONS)))
def test_the_order_of_options_does_not_matter(letter: str, order: list[str]) -> None:
    shuffled = {name: OPTIONS[name] for name in order}
    for text in (f"it is {OPTIONS[letter]} of it", f"({letter})", f"not {OPTIONS[letter]}"):
        assert parse_answer(text, shuffled) == parse_answer(text, OPTIONS)
