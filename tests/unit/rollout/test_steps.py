"""The written rules by which a reply becomes a step."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.inference.request import Finish, Response, State, state_of
from verdict_assets.rollout.steps import Rules, Step, read_step
from verdict_assets.verification.tree import End

RULES = Rules(max_blank=4, repeat_limit=3, max_steps=40)


def reply(text: str, finish: Finish = Finish.NEWLINE) -> Response:
    return Response(text, finish, state_of(text, finish), 1, 1)


def step(text: str, finish: Finish = Finish.NEWLINE, before: tuple[str, ...] = (), blanks: int = 0) -> Step:
    found = read_step(reply(text, finish), before, blanks, RULES)
    assert found is not None
    return found


def test_a_line_is_a_step() -> None:
    assert step("a is left of b .") == Step("a is left of b .", Finish.NEWLINE, State.OK, 0, End.NONE)


def test_blank_lines_are_continued_up_to_the_limit_and_then_empty() -> None:
    for blanks in range(4):
        assert read_step(reply(" \t"), (), blanks, RULES) is None
    last = step("", blanks=4)
    assert (last.text, last.state, last.end) == ("", State.EMPTY, End.EMPTY)
    assert not last.can_be_judged


def test_white_space_of_a_step_is_kept() -> None:
    assert step("  indented ", blanks=2) == Step("  indented ", Finish.NEWLINE, State.OK, 2, End.NONE)


def test_end_of_sequence_ends_the_chain_and_the_step_is_judged() -> None:
    last = step("so B .", Finish.EOS)
    assert last.end is End.EOS and last.can_be_judged


def test_end_of_sequence_without_text_ends_the_chain_unjudged() -> None:
    last = step("", Finish.EOS)
    assert (last.state, last.end, last.can_be_judged) == (State.EMPTY, End.EOS, False)


def test_a_cut_step_is_kept_and_the_chain_goes_on() -> None:
    cut = step("a long st", Finish.LENGTH)
    assert (cut.text, cut.state, cut.end) == ("a long st", State.TRUNCATED, End.NONE)


def test_blank_text_at_the_token_limit_is_empty() -> None:
    assert step("   ", Finish.LENGTH).end is End.EMPTY


def test_a_refusal_is_a_leaf_that_says_so() -> None:
    refused = read_step(Response("", Finish.ERROR, State.REFUSED, 0, 0, error="too long"), (), 0, RULES)
    assert refused is not None
    assert (refused.state, refused.end) == (State.REFUSED, End.EMPTY)


def test_three_equal_steps_in_a_row_are_a_loop() -> None:
    assert step("x", before=("x",)).end is End.NONE
    assert step("x", before=("y", "x", "x")).end is End.LOOP
    assert step("x", before=("x", "x", "y")).end is End.NONE
    assert step("x", before=("x", "y", "x")).end is End.NONE


def test_the_end_of_sequence_outranks_loop_and_cap() -> None:
    assert step("x", Finish.EOS, before=("x",) * 39).end is End.EOS


def test_the_cap() -> None:
    before = tuple(str(number) for number in range(39))
    assert step("x", before=before[:38]).end is End.NONE
    assert step("x", before=before).end is End.CAP


@settings(deadline=None, max_examples=200)
@given(
    text=st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=5),
    finish=st.sampled_from([Finish.EOS, Finish.NEWLINE, Finish.LENGTH]),
    before=st.lists(st.sampled_from(["a", "b"]), max_size=45),
    blanks=st.integers(0, 4),
)
def test_every_reply_has_exactly_one_meaning(
    text: str, finish: Finish, before: list[str], blanks: int
) -> None:
    found = read_step(reply(text, finish), before, blanks, RULES)
    if found is None:
        assert not text.strip() and finish is Finish.NEWLINE and blanks < RULES.max_blank
        return
    assert found.can_be_judged == bool(text.strip())
    assert found.can_be_judged or found.end in (End.EMPTY, End.EOS)
    if len(before) + 1 >= RULES.max_steps:
        assert found.end is not End.NONE, "no chain passes the cap"
