from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from asking import BASE, PROVENANCE, answer, failure, judged, step, stored

from verdict_assets.errors import UserError
from verdict_assets.inference.request import Finish, Response, State
from verdict_assets.inference.store import Layer, Store
from verdict_assets.inference.store.freeze import freeze


def test_an_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    answers = [
        (step(draw=0), answer("a  step with ü, \x00, \u2028 and 'quotes' \"too\"")),
        (step(draw=1), answer("", Finish.EOS)),
        (step(prefix=" plan\n\n", draw=0), answer("cut", Finish.LENGTH, cached_tokens=96, logprob=-1.25e-17)),
        (judged(candidate=""), answer("0.8", Finish.EOS)),
        (judged(candidate="x" * 100_000), Response("", Finish.ERROR, State.REFUSED, 0, 0, error="too long")),
        (step(setup=replace(BASE, generation_seed=3)), answer("another tree", logprob=float("-inf"))),
    ]
    stored(tmp_path, *answers)
    store = Store.open(open_layer=tmp_path)
    assert store.get_many([request for request, _ in answers]) == [response for _, response in answers]
    assert len(store) == len(answers)
    assert store.get(step(draw=2)) is None
    assert store.get(judged(candidate="other")) is None


def test_where_an_answer_comes_from(tmp_path: Path) -> None:
    shard = stored(tmp_path, (step(), answer()), run_id="run-7")
    store = Store.open(open_layer=tmp_path)
    assert store.layer_of(step()) == Layer(tmp_path, frozen=False)
    assert store.shard_of(step()) == shard
    assert store.run_of(step()) == "run-7"
    assert store.provenance_of(step()) == PROVENANCE
    assert store.provenances([step(), step(draw=1)]) == {PROVENANCE: 1}
    assert store.layer_of(step(draw=1)) is None
    assert [row.user for row in store.stored_groups()] == [step().group.user]


def test_names_of_shards(tmp_path: Path) -> None:
    shards = [stored(tmp_path, (step(draw=k), answer())) for k in range(3)]
    assert [shard.name[:12] for shard in shards] == ["shard-000001", "shard-000002", "shard-000003"]
    assert sorted(tmp_path.iterdir()) == shards


def test_the_first_answer_wins_and_later_ones_are_listed(tmp_path: Path) -> None:
    first = stored(tmp_path, (step(), answer("one")))
    later = stored(tmp_path, (step(), answer("two")))
    stored(tmp_path, (step(), answer("one", logprob=-1.0)))
    store = Store.open(open_layer=tmp_path)
    assert store.get(step()) == answer("one")
    [divergence] = store.divergences
    assert (divergence.first.text, divergence.first_shard) == ("one", first)
    assert (divergence.later.text, divergence.later_shard) == ("two", later)
    assert divergence.group == step().group.key


def test_first_wins_when_the_lower_number_is_seen_later(tmp_path: Path) -> None:
    """Writers claim numbers in one order and appear in another; all readers must end with the same answer."""
    low, middle, high = (stored(tmp_path, (step(), answer(text))) for text in ("low", "high", "high"))
    hidden = low.rename(tmp_path / ".hidden")
    store = Store.open(open_layer=tmp_path)
    assert store.get(step()) == answer("high")
    assert store.divergences == []
    hidden.rename(low)
    store.refresh()
    assert store.get(step()) == answer("low")
    assert [found.later_shard for found in store.divergences] == [middle, high]
    assert store.divergences == Store.open(open_layer=tmp_path).divergences


def test_numbers_beyond_six_digits_keep_their_order(tmp_path: Path) -> None:
    first = stored(tmp_path, (step(), answer("one")))
    first.rename(tmp_path / first.name.replace("000001", "999999"))
    stored(tmp_path, (step(), answer("two")))
    assert {path.name[:13] for path in tmp_path.iterdir()} == {"shard-999999-", "shard-1000000"}
    assert Store.open(open_layer=tmp_path).get(step()) == answer("one")


def test_a_commit_sees_what_others_committed(tmp_path: Path) -> None:
    one, other = Store.open(open_layer=tmp_path), Store.open(open_layer=tmp_path)
    one.commit([(step(draw=0), answer("from one"))], PROVENANCE, "one")
    other.commit([(step(draw=1), answer())], PROVENANCE, "other")
    assert other.get(step(draw=0)) == answer("from one")
    assert one.get(step(draw=1)) is None
    one.refresh()
    assert one.get(step(draw=1)) == answer()


def test_frozen_layers_are_read_first(tmp_path: Path) -> None:
    stored(tmp_path / "recording", (step(), answer("recorded")))
    freeze(tmp_path / "frozen", [Layer(tmp_path / "recording", frozen=False)], {})
    stored(tmp_path / "open", (step(), answer("later")), (step(draw=1), answer()))
    store = Store.open([tmp_path / "frozen"], tmp_path / "open")
    assert store.get(step()) == answer("recorded")
    assert store.layer_of(step()) == Layer(tmp_path / "frozen", frozen=True)
    assert store.layer_of(step(draw=1)) == Layer(tmp_path / "open", frozen=False)
    assert len(store.divergences) == 1


def test_absent_and_empty_folders_are_empty_layers(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".gitkeep").touch()
    store = Store.open([tmp_path / "absent", tmp_path / "empty"], tmp_path / "open")
    assert len(store) == 0
    assert not (tmp_path / "open").exists()


def test_a_commit_of_nothing_fails_loudly(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="without a single answer"):
        Store.open(open_layer=tmp_path).commit([], PROVENANCE, "run")


def test_errors_are_not_stored(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="out of memory"):
        Store.open(open_layer=tmp_path).commit([(step(), failure())], PROVENANCE, "run")


def test_two_answers_to_one_request_in_one_commit(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two answers"):
        Store.open(open_layer=tmp_path).commit(
            [(step(), answer("a")), (step(), answer("b"))], PROVENANCE, "run"
        )
    assert list(tmp_path.iterdir()) == []


def test_equal_commits_have_equal_bytes(tmp_path: Path) -> None:
    answers = [(step(question, draw=draw), answer()) for question in range(20) for draw in range(3)]
    one = stored(tmp_path / "one", *answers)
    other = stored(tmp_path / "other", *reversed(answers))
    assert one.name == other.name
    assert one.read_bytes() == other.read_bytes()
