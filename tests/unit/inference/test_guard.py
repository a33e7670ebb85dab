"""What was changed after it was written is refused, with a remedy, before anything is computed from it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from asking import answer, judged, step, stored

from verdict_assets.errors import UserError
from verdict_assets.inference.store import DamagedStore, Layer, Store
from verdict_assets.inference.store.freeze import freeze
from verdict_assets.inference.store.guard import verified_shards


@pytest.fixture
def frozen(tmp_path: Path) -> Path:
    stored(
        tmp_path / "recording", *[(step(q, draw=k), answer(f"{q} {k}")) for q in range(5) for k in range(3)]
    )
    freeze(tmp_path / "frozen", [Layer(tmp_path / "recording", frozen=False)], {})
    return tmp_path / "frozen"


def the_shard(folder: Path) -> Path:
    [shard] = folder.glob("shard-*.parquet")
    return shard


def edit(folder: Path) -> None:
    shard = the_shard(folder)
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)


def truncate(folder: Path) -> None:
    the_shard(folder).write_bytes(the_shard(folder).read_bytes()[:-10])


def delete(folder: Path) -> None:
    the_shard(folder).unlink()


def add_a_shard(folder: Path) -> None:
    stored(folder.parent / "more", (judged(), answer("0.8")))
    shutil.copy(the_shard(folder.parent / "more"), folder / "shard-000002-0123456789abcdef.parquet")


def add_a_file(folder: Path) -> None:
    (folder / "notes.txt").write_text("better scores")


def swap_the_shard(folder: Path) -> None:
    """Another valid shard under the name of the recorded one."""
    stored(folder.parent / "more", (judged(), answer("0.8")))
    shutil.copy(the_shard(folder.parent / "more"), the_shard(folder))


def edit_the_manifest(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    for entry in manifest["shards"].values():
        entry["sha256"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest))


def shard_and_manifest(folder: Path) -> None:
    """Both changed so that they fit each other: the name still carries the old hash."""
    name = the_shard(folder).name
    swap_the_shard(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["shards"][name]["sha256"] = the_shard(folder.parent / "more").name[13:29] + "0" * 48
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "tamper",
    [
        edit, truncate, delete, add_a_shard, add_a_file, swap_the_shard,
        edit_the_manifest, shard_and_manifest,
    ],
)  # fmt: skip
def test_a_changed_frozen_layer_is_refused(frozen: Path, tamper: Callable[[Path], None]) -> None:
    assert len(Store.open([frozen])) == 15
    tamper(frozen)
    with pytest.raises(DamagedStore, match="frozen layer was changed") as refused:
        Store.open([frozen])
    assert str(frozen) in str(refused.value)
    assert "git checkout" in str(refused.value)


def test_all_faults_are_in_one_message(frozen: Path) -> None:
    edit(frozen)
    add_a_file(frozen)
    with pytest.raises(DamagedStore) as refused:
        Store.open([frozen])
    assert "notes.txt: was added" in str(refused.value)
    assert "was changed, its hash is" in str(refused.value)


def test_an_edit_that_keeps_size_and_time_is_found_by_the_full_check(frozen: Path) -> None:
    Store.open([frozen])
    shard = the_shard(frozen)
    status = shard.stat()
    edit(frozen)
    os.utime(shard, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(DamagedStore):
        verified_shards(Layer(frozen, frozen=True), full=True)


@pytest.mark.parametrize(
    "content", [None, "", "[]", "{}", '{"manifest_version": 99}', '{"manifest_version": 1}']
)
def test_a_layer_without_a_readable_manifest_is_refused(frozen: Path, content: str | None) -> None:
    manifest = frozen / "manifest.json"
    if content is None:
        manifest.unlink()
    else:
        manifest.write_text(content)
    with pytest.raises(UserError, match="manifest") as refused:
        Store.open([frozen])
    assert refused.value.remedy is not None


def test_hidden_files_are_no_part_of_a_layer(frozen: Path) -> None:
    (frozen / ".gitignore").touch()
    assert len(Store.open([frozen])) == 15


@pytest.mark.parametrize("tamper", [edit, truncate, swap_the_shard])
def test_a_damaged_open_shard_is_refused(tmp_path: Path, tamper: Callable[[Path], None]) -> None:
    stored(tmp_path / "open", (step(), answer()))
    tamper(tmp_path / "open")
    with pytest.raises(DamagedStore, match="verdict doctor"):
        Store.open(open_layer=tmp_path / "open")
