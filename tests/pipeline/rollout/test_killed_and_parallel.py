"""Rollouts in processes of their own: killed again and again, and two at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rollout_world import ToyEngine, assert_same, open_store, tables, toy_partition

from verdict_assets.rollout.expand import expand

WORKER = Path(__file__).parents[2] / "support" / "rollout_worker.py"
ROOT = Path(__file__).parents[3]
QUESTIONS = 6


def start(folder: Path, questions: int, seconds: float, window: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), str(folder), str(questions), str(seconds), str(window)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def answers_in(folder: Path) -> int:
    return sum(1 for _ in folder.glob("shard-*.parquet")) if folder.is_dir() else 0


def test_five_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    partition = toy_partition(QUESTIONS)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    undisturbed = expand(partition, open_store(whole), ToyEngine(), run_id="whole")
    waits = random.Random(1)
    for _ in range(5):
        before = answers_in(killed)
        process = start(killed, QUESTIONS, 0.004, 4)
        while answers_in(killed) < before + 2 and process.poll() is None:
            time.sleep(0.01)
        time.sleep(waits.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        assert process.returncode == -signal.SIGKILL, "the rollout was over before it was killed"
        assert not tables(partition, killed).closed
    kept = len(open_store(killed))
    finished = expand(partition, open_store(killed), ToyEngine(), run_id="last")
    assert kept + finished.asked == undisturbed.asked
    assert_same(tables(partition, killed), tables(partition, whole))


@pytest.mark.parametrize("questions", [(QUESTIONS, QUESTIONS), (QUESTIONS, QUESTIONS // 2)])
def test_two_rollouts_at_once_end_in_one_consistent_store(tmp_path: Path, questions: tuple[int, int]) -> None:
    both, alone = tmp_path / "both", tmp_path / "alone"
    running = [start(both, count, 0.0005, window) for count, window in zip(questions, (3, 5), strict=True)]
    for process in running:
        output, _ = process.communicate(timeout=900)
        assert process.returncode == 0 and int(output) > 0
    partition = toy_partition(QUESTIONS)
    expand(partition, open_store(alone), ToyEngine(), run_id="alone")
    assert_same(tables(partition, both), tables(partition, alone))
    assert open_store(both).divergences == []


def test_two_models_under_one_name_still_end_in_one_closed_tree(tmp_path: Path) -> None:
    partition = toy_partition(3)
    one, two = open_store(tmp_path), open_store(tmp_path)
    expand(partition, one, ToyEngine(), run_id="one")
    # The second opened before the first wrote anything, and answers in another voice.
    report = expand(partition, two, ToyEngine(salt="other"), run_id="two")
    assert report.closed == 3
    assert tables(partition, tmp_path).closed
    assert open_store(tmp_path).divergences
