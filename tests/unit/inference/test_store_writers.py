"""Several processes write to one open layer, and some are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from asking import answer, step, stored

from verdict_assets.inference.store import Store
from verdict_assets.inference.store.doctor import CLAIM_ABANDONED_AFTER, Outcome, examine
from verdict_assets.inference.store.files import shard_number

SUPPORT = Path(__file__).parents[2] / "support"


def worker(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SUPPORT / "commit_worker.py"), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_writers_at_once(tmp_path: Path) -> None:
    commits = 12
    workers = [worker(tmp_path, name, commits) for name in ("one", "two")]
    assert [process.wait(timeout=120) for process in workers] == [0, 0]
    numbers = sorted(number for path in tmp_path.iterdir() if (number := shard_number(path.name)) is not None)
    assert numbers == list(range(1, 2 * commits + 1))
    assert len(list(tmp_path.iterdir())) == 2 * commits
    store = Store.open(open_layer=tmp_path)
    assert len(store) == 3 * commits
    assert len(store.divergences) == commits
    for number in range(commits):
        for name in ("one", "two"):
            assert store.get(step(number, prefix=f"{name}\n")) == answer(f"{name} {number}")
        first = store.shard_of(step(number))
        assert first is not None
        assert store.get(step(number)) == answer(f"shared, by {store.run_of(step(number))}")
    assert store.divergences == Store.open(open_layer=tmp_path).divergences


@pytest.mark.parametrize(
    ("moment", "left", "kept"), [("written", 1, 1), ("claimed", 2, 2), ("renamed", 1, 2)]
)
def test_killed_during_a_commit(tmp_path: Path, moment: str, left: int, kept: int) -> None:
    process = worker(tmp_path, "one", 3, moment)
    assert process.wait(timeout=120) == -signal.SIGKILL
    assert len([path for path in tmp_path.iterdir() if shard_number(path.name) is None]) == left
    before = Store.open(open_layer=tmp_path)
    assert before.get(step(0)) == answer("shared, by one")
    for path in tmp_path.iterdir():
        os.utime(path, (time.time() - 2 * CLAIM_ABANDONED_AFTER,) * 2)
    findings = examine([], tmp_path)
    assert {finding.outcome for finding in findings} == {Outcome.REPAIRED}
    assert all(shard_number(path.name) is not None for path in tmp_path.iterdir())
    after = Store.open(open_layer=tmp_path)
    assert [after.get(step(number)) is not None for number in range(3)] == [n < kept for n in range(3)]
    stored(tmp_path, (step(2), answer()))
    assert examine([], tmp_path) == []


def test_a_writer_goes_on_after_a_killed_one(tmp_path: Path) -> None:
    process = worker(tmp_path, "one", 3, "claimed")
    process.wait(timeout=120)
    shard = stored(tmp_path, (step(1), answer("shared, by two")))
    assert shard_number(shard.name) == 3
    for path in tmp_path.iterdir():
        os.utime(path, (time.time() - 2 * CLAIM_ABANDONED_AFTER,) * 2)
    examine([], tmp_path)
    assert Store.open(open_layer=tmp_path).get(step(1)) == answer("shared, by one")


def test_the_files_of_living_writers_are_left_alone(tmp_path: Path) -> None:
    stored(tmp_path, (step(), answer()))
    living = tmp_path / f".tmp-elsewhere-{os.getpid()}-00ff.parquet"
    living.touch()
    claim = tmp_path / "shard-000002.parquet"
    claim.touch()
    assert examine([], tmp_path) == []
    assert living.exists()
    assert claim.exists()
