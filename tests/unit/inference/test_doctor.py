from __future__ import annotations

from pathlib import Path

from asking import answer, judged, step, stored

from verdict_assets.inference.store import Layer, Store
from verdict_assets.inference.store.doctor import Outcome, examine
from verdict_assets.inference.store.freeze import freeze


def damage(shard: Path) -> None:
    data = bytearray(shard.read_bytes())
    data[10] ^= 1
    shard.write_bytes(data)


def test_a_sound_store(tmp_path: Path) -> None:
    stored(tmp_path / "open", (step(), answer()))
    freeze(tmp_path / "frozen", [Layer(tmp_path / "open", frozen=False)], {})
    assert examine([tmp_path / "frozen"], tmp_path / "open") == []
    assert examine([tmp_path / "absent"], tmp_path / "absent too") == []


def test_a_torn_shard_is_moved_aside_and_the_store_opens_again(tmp_path: Path) -> None:
    kept = stored(tmp_path, (step(draw=0), answer()))
    torn = stored(tmp_path, (step(draw=1), answer()))
    torn.write_bytes(torn.read_bytes()[:100])
    [finding] = examine([], tmp_path)
    assert finding.outcome is Outcome.LOST
    assert "unknown" in finding.what
    assert (tmp_path / "damaged" / torn.name).stat().st_size == 100
    assert Store.open(open_layer=tmp_path).shard_of(step(draw=0)) == kept
    assert examine([], tmp_path) == []
    assert stored(tmp_path, (step(draw=1), answer())).name.startswith("shard-000002")


def test_what_a_readable_damaged_shard_held_is_named(tmp_path: Path) -> None:
    """A shard under a name with another hash: an edit, as far as anybody can tell."""
    stored(tmp_path / "open", (step(draw=0), answer()))
    freeze(tmp_path / "frozen", [Layer(tmp_path / "open", frozen=False)], {})
    shard = stored(
        tmp_path / "open", (step(draw=0), answer()), (step(draw=1), answer()), (judged(), answer("0.8"))
    )
    shard.rename(shard.with_name(shard.name[:-24] + "0" * 16 + ".parquet"))
    [finding] = examine([tmp_path / "frozen"], tmp_path / "open")
    assert finding.outcome is Outcome.LOST
    assert step(draw=1).key in finding.what
    assert judged().key in finding.what
    assert step(draw=0).key not in finding.what


def test_a_damaged_shard_whose_answers_are_stored_elsewhere(tmp_path: Path) -> None:
    stored(tmp_path, (step(), answer()))
    shard = stored(tmp_path, (step(), answer("later")))
    shard.rename(shard.with_name(shard.name[:-24] + "0" * 16 + ".parquet"))
    [finding] = examine([], tmp_path)
    assert "stored elsewhere" in finding.what


def test_a_deleted_shard_is_reported_once(tmp_path: Path) -> None:
    shards = [stored(tmp_path, (step(draw=k), answer())) for k in range(3)]
    shards[1].unlink()
    [finding] = examine([], tmp_path)
    assert finding.outcome is Outcome.LOST
    assert "number 2 was deleted" in finding.what
    assert examine([], tmp_path) == []


def test_frozen_layers_are_never_touched(tmp_path: Path) -> None:
    stored(tmp_path / "open", (step(), answer()))
    freeze(tmp_path / "frozen", [Layer(tmp_path / "open", frozen=False)], {})
    [shard] = (tmp_path / "frozen").glob("shard-*")
    damage(shard)
    (tmp_path / "frozen" / "added.parquet").touch()
    before = sorted((path, path.read_bytes()) for path in (tmp_path / "frozen").iterdir())
    findings = examine([tmp_path / "frozen"], tmp_path / "open")
    assert [finding.outcome for finding in findings] == [Outcome.LOST, Outcome.LOST]
    assert all("git checkout" in finding.what for finding in findings)
    assert sorted((path, path.read_bytes()) for path in (tmp_path / "frozen").iterdir()) == before
    (tmp_path / "frozen" / "manifest.json").unlink()
    [finding] = examine([tmp_path / "frozen"], tmp_path / "open")
    assert "no manifest" in finding.what


def test_a_dry_run_touches_nothing(tmp_path: Path) -> None:
    shards = [stored(tmp_path, (step(draw=k), answer())) for k in range(3)]
    shards[0].write_bytes(b"torn")
    shards[1].unlink()
    before = sorted(tmp_path.rglob("*"))
    found = examine([], tmp_path, repair=False)
    assert len(found) == 2
    assert sorted(tmp_path.rglob("*")) == before
    assert len(examine([], tmp_path)) == 2
