from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from asking import BASE, JUDGE, answer, judged, step, stored

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.replay import ReplayEngine, ReplayMiss, explain_miss
from verdict_assets.inference.generate import generate
from verdict_assets.inference.request import Group, Request
from verdict_assets.inference.store import Store


def test_replay_answers_from_the_store(tmp_path: Path) -> None:
    stored(tmp_path, (step(), answer()), (judged(), answer("0.8")))
    store = Store.open(open_layer=tmp_path)
    engine = ReplayEngine(store)
    assert list(engine.run([judged(), step()])) == [(0, answer("0.8")), (1, answer())]
    assert generate([step()], Store.open([], tmp_path), engine, run_id="a") == [answer()]
    engine.close()


def test_a_miss_names_the_request(tmp_path: Path) -> None:
    stored(tmp_path, (step(prefix="plan : look\n"), answer()))
    store = Store.open(open_layer=tmp_path)
    missed = step(prefix="plan : look\nthe square is left\n", draw=1)
    with pytest.raises(ReplayMiss) as miss:
        generate([step(prefix="plan : look\n"), missed, judged()], store, ReplayEngine(store), run_id="a")
    message = str(miss.value)
    assert isinstance(miss.value, UserError)
    assert "2 of 2 requests" in message
    assert "a candidate of model scenes-base" in message
    assert "question 0" in message
    assert "the square is left" in message
    assert "draw: 1" in message
    assert missed.key in message
    assert "verdict rollout" in message
    assert len(store) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("template", "d" * 64),
        ("revision", "s" * 64),
        ("temperature", 0.7),
        ("max_tokens", 41),
        ("constraint", "[0-9]"),
    ],
)
def test_the_component_that_differs_is_named(tmp_path: Path, field: str, value: object) -> None:
    """The question of everybody whose cache misses: which of all those fields is it?"""
    stored(tmp_path, (step(0), answer()), (step(1), answer()))
    asked = step(1, setup=replace(BASE, **{field: value}))
    why = explain_miss(asked, Store.open(open_layer=tmp_path))
    assert why.startswith(f"the nearest stored place differs in {field} (asked ")
    assert ";" not in why


def test_another_prompt_is_shown_from_where_it_differs(tmp_path: Path) -> None:
    stored(tmp_path, (judged(0), answer("0.8")))
    asked = Request(
        Group(JUDGE, judged().group.images, "question 0\nvisible\n", cue="\nscore :"), tail="a step"
    )
    why = explain_miss(asked, Store.open(open_layer=tmp_path))
    assert "user text, from character 14 on (asked 'ible\\n', stored 'ual\\n')" in why


def test_another_candidate_or_draw(tmp_path: Path) -> None:
    stored(tmp_path, (step(draw=0), answer()), (step(draw=1), answer()))
    why = explain_miss(step(draw=7), Store.open(open_layer=tmp_path))
    assert "not this candidate or draw (None, 7); stored are (None, 0), (None, 1)" in why


def test_an_empty_store(tmp_path: Path) -> None:
    why = explain_miss(step(), Store.open([tmp_path / "recorded"]))
    assert why == f"the store is empty ({tmp_path / 'recorded'} is not there)"
