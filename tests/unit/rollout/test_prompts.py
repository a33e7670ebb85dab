"""Prompt files: their fields, how they are filled in, and how a judge's text is split."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.errors import UserError
from verdict_assets.inference.prompts import load_prompt
from verdict_assets.inference.prompts.render import parse_prompt

OPTIONS = ("red circle", "blue ring")


def test_the_base_prompt() -> None:
    prompt = load_prompt("scenes/base.txt")
    assert not prompt.judges and prompt.cue is None
    assert prompt.user("what is left ?", OPTIONS) == (
        "what is left ?\n(A) red circle\n(B) blue ring\nreason step by step ."
    )


@pytest.mark.parametrize(
    ("name", "rubric"),
    [
        ("visual", "judge visual : is the step true of the image ?"),
        ("logical", "judge logical : does the step follow from the question and the steps so far ?"),
        ("contextual", "judge contextual : does the step stay on the question ?"),
    ],
)
def test_the_judges_prompts_end_with_the_candidate_and_a_cue(name: str, rubric: str) -> None:
    prompt = load_prompt(f"scenes/{name}.txt")
    assert prompt.judges
    assert prompt.user("what is left ?", OPTIONS, "one .\ntwo .\n") == (
        f"what is left ?\n(A) red circle\n(B) blue ring\n{rubric}\n"
        "steps so far :\none .\ntwo .\nstep to judge :\n"
    )
    assert prompt.cue == "\nscore :"


def test_an_empty_trace_leaves_no_blank_line() -> None:
    assert "steps so far :\nstep to judge :\n" in load_prompt("scenes/visual.txt").user("q ?", OPTIONS)


def test_the_hash_is_that_of_the_bytes() -> None:
    data = b"{question}\n{options}\n"
    assert parse_prompt("x.txt", data).sha256 == hashlib.sha256(data).hexdigest()
    assert parse_prompt("x.txt", data).user("q", OPTIONS) == "q\n(A) red circle\n(B) blue ring"


def test_braces_in_a_question_or_a_step_are_left_alone() -> None:
    prompt = load_prompt("scenes/visual.txt")
    user = prompt.user("is {trace} a {candidate} ?", ("{options}", "b"), "{question} {x}\n")
    assert user.startswith("is {trace} a {candidate} ?\n(A) {options}\n")
    assert "{question} {x}\n" in user


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=20), st.lists(st.text(max_size=8), max_size=4), st.text(max_size=20))
def test_what_is_filled_in_is_found_again_unchanged(question: str, options: list[str], trace: str) -> None:
    prompt = parse_prompt("x.txt", b"<{question}|{options}|{trace}|{candidate}>")
    lettered = "\n".join(f"({letter}) {text}" for letter, text in zip("ABCD", options, strict=False))
    assert prompt.user(question, options, trace) == f"<{question}|{lettered}|{trace}|"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{question} {anwser}", "unknown field {anwser}"),
        ("{question} {question}", "field {question} stands twice"),
        ("{options}", "field {question} is missing"),
        ("{question} {trace}", "field {trace} is for judges"),
        ("{candidate} {question}", "a field stands after {candidate}"),
    ],
)
def test_a_file_that_cannot_be_filled_in_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_prompt("x.txt", text.encode())
    assert message in caught.value.what and caught.value.where == "x.txt"


@pytest.mark.parametrize("name", ["scenes/vizual.txt", "../render.py", "/etc/passwd", "scenes"])
def test_a_prompt_that_does_not_exist_is_told_with_those_that_do(name: str) -> None:
    with pytest.raises(UserError) as caught:
        load_prompt(name)
    assert caught.value.remedy is not None and "scenes/visual.txt" in caught.value.remedy
