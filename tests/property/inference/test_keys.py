from __future__ import annotations

import dataclasses
import json

from asking import BASE, IMAGE
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.inference.canonical import canonical, digest
from verdict_assets.inference.request import Group, Request, Setup

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
MAYBE = st.none() | TEXT
CHANGES: dict[str, object] = {
    "model": "other", "revision": "o", "tokenizer": "o", "template": "o", "dtype": "bfloat16",
    "image_recipe": "scenes-native-2", "temperature": 0.81, "top_p": 0.61, "max_tokens": 41, "stop": (),
    "top_k": 1, "min_p": 0.1, "repetition_penalty": 1.05, "presence_penalty": 0.1, "frequency_penalty": 0.1,
    "logprobs": True, "constraint": "[0-9]", "generation_seed": 0, "key_version": 2,
}  # fmt: skip
GROUPS = st.builds(
    Group,
    setup=st.just(BASE),
    images=st.lists(st.sampled_from([IMAGE, "cd" * 32]), max_size=3).map(tuple),
    user=TEXT,
    cue=MAYBE,
    assistant=MAYBE,
    system=MAYBE,
)
REQUESTS = st.builds(Request, group=GROUPS, tail=MAYBE, draw=st.none() | st.integers(0, 5))


def test_every_field_of_a_setup_changes_the_key() -> None:
    init = {field.name for field in dataclasses.fields(Setup) if field.init}
    assert init == CHANGES.keys()
    keys = {dataclasses.replace(BASE, **{name: value}).key for name, value in CHANGES.items()}
    assert len(keys | {BASE.key}) == len(CHANGES) + 1


@settings(deadline=None, max_examples=60)
@given(st.lists(REQUESTS, min_size=2, max_size=8))
def test_keys_are_equal_exactly_when_requests_are(requests: list[Request]) -> None:
    assert len({request.key for request in requests}) == len(set(requests))


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(
        TEXT,
        st.none() | TEXT | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
        max_size=6,
    ),
    TEXT,
)
def test_absent_fields_do_not_change_a_hash(
    fields: dict[str, str | int | bool | float | None], name: str
) -> None:
    if name not in fields:
        assert digest({**fields, name: None}) == digest(fields)
    assert json.loads(canonical(fields)) == {key: value for key, value in fields.items() if value is not None}
    assert canonical(dict(reversed(fields.items()))) == canonical(fields)
