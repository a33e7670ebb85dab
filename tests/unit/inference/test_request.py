from __future__ import annotations

import dataclasses

import pytest
from asking import BASE, IMAGE, judged, step

from verdict_assets.inference.request import (
    Finish,
    Group,
    Request,
    Setup,
    State,
    group_key,
    request_key,
    seed,
    state_of,
    user_text,
)


def test_golden_keys_and_seed() -> None:
    """Stored answers are found by these; if this test fails, no recorded answer is found any more."""
    request = Request(
        Group(BASE, (IMAGE,), "which is left ?\n(A) ü\n", assistant="plan : look\n"), tail=None, draw=2
    )
    assert BASE.key == "80c78780a57112dd8599ba8c77b694e3b4773e739b5ec373c53e8a4a9fa8c19f"
    assert request.group.key == "c5871eb7756fe65ece1274aa57cedcfda234240a287f492f13735d810bc03cbc"
    assert request.key == "d36ef2027c5c2e73090a4b752a49b6a5da7565dd0bfc8a6d0f32ff3b8be467c7"
    assert seed(request) == 6103720722027910826
    judge = Request(Group(BASE, (), "rate\n", cue="\nscore :", system="be strict"), tail="a step")
    assert judge.key == "8ea8eea1766a03de4b9012b98301812d3690f530dcc491cb3bad1560db5db504"


def test_encoding_of_a_setup() -> None:
    assert BASE.encoded() == (
        '{"dtype":"float32","frequency_penalty":0.0,"image_recipe":"scenes-native-1","key_version":1,'
        '"logprobs":false,"max_tokens":40,"min_p":0.0,"model":"scenes-base","presence_penalty":0.0,'
        f'"repetition_penalty":1.0,"revision":"{"r" * 64}","stop":["\\n"],"temperature":0.8,'
        f'"template":"{"c" * 64}","tokenizer":"{"t" * 64}","top_k":-1,"top_p":0.6}}'
    )


def test_absent_fields_are_not_encoded() -> None:
    assert "constraint" not in BASE.encoded()
    assert "generation_seed" not in BASE.encoded()
    assert request_key("g", None, None) == request_key("g", None, None)
    assert group_key("s", (), "u", None, None, None) != group_key("s", (), "u", None, None, "")


def test_equal_numbers_have_one_key() -> None:
    whole = dataclasses.replace(BASE, temperature=1, min_p=-0.0)
    assert whole.key == dataclasses.replace(BASE, temperature=1.0, min_p=0.0).key


def test_nothing_to_continue_is_no_prefix() -> None:
    assert step(prefix="").key == step(prefix=None).key
    assert step(prefix=" ").key != step(prefix=None).key


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_has_no_key(value: float) -> None:
    with pytest.raises(ValueError, match="temperature"):
        _ = dataclasses.replace(BASE, temperature=value).key


def test_seed() -> None:
    seeds = {seed(step(draw=draw)) for draw in range(50)}
    assert len(seeds) == 50
    assert all(value is not None and 0 <= value < 2**63 for value in seeds)
    assert seed(judged()) is None


def test_the_first_candidates_of_five_are_the_three() -> None:
    assert [seed(step(draw=k)) for k in range(3)] == [seed(step(draw=k)) for k in range(5)][:3]


def test_user_text() -> None:
    assert user_text(judged(candidate="a step")) == "question 0\nvisual\na step\nscore :"
    assert user_text(step()) == "question 0\n(A) left\n"


@pytest.mark.parametrize(
    ("text", "finish", "state"),
    [
        ("a step", Finish.NEWLINE, State.OK),
        ("a step", Finish.EOS, State.OK),
        ("a st", Finish.LENGTH, State.TRUNCATED),
        ("", Finish.LENGTH, State.TRUNCATED),
        ("", Finish.NEWLINE, State.EMPTY),
        (" \t", Finish.EOS, State.EMPTY),
        ("", Finish.ERROR, State.ERROR),
    ],
)
def test_state(text: str, finish: Finish, state: State) -> None:
    assert state_of(text, finish) is state


def test_every_field_of_a_setup_but_the_absent_is_in_its_encoding() -> None:
    full = dataclasses.replace(BASE, constraint="[0-9]", generation_seed=1)
    missing = [field.name for field in dataclasses.fields(Setup) if f'"{field.name}":' not in full.encoded()]
    assert missing == ["_key"]
