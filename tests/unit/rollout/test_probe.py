"""Asking the judge probe: nothing twice, kept when the engine breaks, no table while a reply is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from probe_world import SCENES, SCENES_QUESTIONS, make_scenes_project
from rollout_world import NoEngine, ToyEngine, open_store, toy_partition
from tiny_project import STUDY

from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.inference.request import Provenance
from verdict_assets.rollout.expand import Options
from verdict_assets.rollout.partition import open_partition
from verdict_assets.rollout.probe import Probe, ask_probe, extract_probe, open_probe

JUDGES = 3


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_scenes_project(tmp_path_factory.mktemp("scenes") / "project")


@pytest.fixture(scope="module")
def probe(project: Project) -> Probe:
    return open_probe(project.root, open_partition(project.root, STUDY, SCENES))


def calls(probe: Probe) -> int:
    return sum(map(len, probe.calls.values()))


def test_every_judge_is_asked_about_every_item_in_the_study_s_own_way(project: Project, probe: Probe) -> None:
    assert len(probe.calls) == SCENES_QUESTIONS
    asking = open_partition(project.root, STUDY, SCENES).asking
    for of_question in probe.calls.values():
        assert len(of_question) % JUDGES == 0
        for call in of_question:
            setup = call.request.group.setup
            assert setup == asking.judge_setups[call.judge, "greedy"]
            assert call.request.draw is None
            assert call.request.tail == call.item.text
            assert "".join(f"{step}\n" for step in call.item.prefix) in call.request.group.user


def test_a_complete_probe_is_a_table(probe: Probe, tmp_path: Path) -> None:
    store = open_store(tmp_path / "open")
    report = ask_probe(probe, store, ToyEngine(), run_id="run", options=Options())
    assert (report.asked, report.from_store, report.open) == (calls(probe), 0, [])
    table = extract_probe(probe, store)
    assert table.closed and table.draft
    assert len(table.judge_probe) == calls(probe)
    assert table.costs["judge_probe"].requests == len(store)
    assert ((table.judge_probe["kind"] == "right") == table.judge_probe["sound"]).all()
    assert (table.judge_probe["score"].isna() == table.judge_probe["reason"].notna()).all()


def test_nothing_is_asked_twice(probe: Probe, tmp_path: Path) -> None:
    store = open_store(tmp_path / "open")
    ask_probe(probe, store, ToyEngine(), run_id="run", options=Options())
    again = ask_probe(probe, open_store(tmp_path / "open"), NoEngine(), run_id="run", options=Options())
    assert (again.asked, again.from_store) == (0, calls(probe))


def test_what_a_lost_engine_answered_is_kept_but_is_no_table(probe: Probe, tmp_path: Path) -> None:
    store = open_store(tmp_path / "open")
    report = ask_probe(probe, store, ToyEngine(lost_after=20), run_id="run", options=Options())
    assert "the toy broke" in str(report.stopped)
    assert report.open
    partial = extract_probe(probe, store)
    assert not partial.closed
    assert len(partial.judge_probe) == 0
    report = ask_probe(probe, store, ToyEngine(), run_id="run", options=Options())
    assert (report.asked, report.from_store, report.stopped) == (calls(probe) - 20, 20, None)


def test_a_budget_is_kept(probe: Probe, tmp_path: Path) -> None:
    store = open_store(tmp_path / "open")
    engine = ToyEngine()
    report = ask_probe(probe, store, engine, run_id="run", options=Options(budget=7))
    assert report.asked == len(engine.asked) == 7
    assert report.stopped == "the budget is spent"


def test_requests_that_fail_are_counted_and_asked_again(probe: Probe, tmp_path: Path) -> None:
    store = open_store(tmp_path / "open")
    report = ask_probe(probe, store, ToyEngine(errors=0.3), run_id="run", options=Options())
    failed = sum(report.failed.values())
    assert failed > 0
    assert ask_probe(probe, store, ToyEngine(), run_id="run", options=Options()).asked == failed


def test_another_kind_of_engine_is_refused_unless_mixing_is_asked_for(probe: Probe, tmp_path: Path) -> None:
    store = open_store(tmp_path / "open")
    ask_probe(probe, store, ToyEngine(), run_id="run", options=Options(budget=5))
    other = ToyEngine()
    other.provenance = Provenance("toy", "2", "cpu", "float32", "single")
    with pytest.raises(UserError, match="version 1"):
        ask_probe(probe, store, other, run_id="run", options=Options())
    assert ask_probe(probe, store, other, run_id="run", options=Options(mixed=True)).open == []


def test_a_benchmark_without_known_truth_has_no_probe(project: Project) -> None:
    assert open_probe(project.root, toy_partition(3)).calls == {}
