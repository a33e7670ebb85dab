"""Growing trees with an engine without a model: what comes out must not depend on how it was grown."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollout_world import (
    GREEDY,
    STRATEGIES,
    NoEngine,
    ToyEngine,
    assert_same,
    open_store,
    tables,
    toy_params,
    toy_partition,
    toy_study,
)

from verdict_assets.config.studies import DecodingSpec
from verdict_assets.errors import UserError
from verdict_assets.inference.engines.replay import ReplayEngine, ReplayMiss
from verdict_assets.rollout.cost import Cost
from verdict_assets.rollout.expand import Options, expand
from verdict_assets.rollout.extract import Extract
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.plan import plan

QUESTIONS = 10


@pytest.fixture(scope="module")
def partition() -> Partition:
    return toy_partition(QUESTIONS)


@pytest.fixture(scope="module")
def layer(partition: Partition, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The open layer of an undisturbed rollout."""
    folder = tmp_path_factory.mktemp("store") / "open"
    report = expand(partition, open_store(folder), ToyEngine(), run_id="first")
    assert (report.closed, report.open, report.stopped) == (QUESTIONS, [], None)
    return folder


@pytest.fixture(scope="module")
def expected(partition: Partition, layer: Path) -> Extract:
    return tables(partition, layer)


def test_everything_is_closed_and_every_kind_of_reply_was_met(expected: Extract) -> None:
    assert expected.closed and expected.draft
    assert set(expected.candidates["state"]) == {"ok", "empty", "truncated", "refused"}
    assert set(expected.candidates["finish"]) == {"eos", "newline", "length", "error"}
    assert expected.candidates["blank_lines"].max() > 0
    assert {"eos", "loop", "empty"} <= set(expected.answers["end"])
    assert expected.raw_scores["score"].isna().any()
    assert set(expected.raw_scores["state"]) == {"ok", "empty", "truncated"}
    assert expected.raw_scores["score"].isna().equals(expected.raw_scores["reason"].notna())


def test_the_bill_has_every_stored_answer_once(layer: Path, expected: Extract) -> None:
    steps, scores = expected.costs["candidates"], expected.costs["raw_scores"]
    assert steps.requests + scores.requests == len(open_store(layer))
    assert steps.requests < len(expected.candidates) + expected.candidates["blank_lines"].sum() + 1
    assert scores.requests < len(expected.raw_scores), "equal candidates are judged once"
    assert min(steps.prompt_tokens, steps.output_tokens, scores.prompt_tokens, scores.output_tokens) > 0
    assert expected.costs["answers"] == Cost()


def test_replay_afterwards_asks_for_nothing(partition: Partition, layer: Path, expected: Extract) -> None:
    store = open_store(layer)
    report = expand(partition, store, ReplayEngine(store), run_id="replay")
    assert (report.asked, report.closed) == (0, QUESTIONS)
    assert_same(tables(partition, layer), expected)


def test_replay_of_an_empty_store_names_the_request(partition: Partition, tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with pytest.raises(ReplayMiss, match="where is object 0"):
        expand(partition, store, ReplayEngine(store), run_id="replay")


def test_replay_of_a_part_names_the_next_request(partition: Partition, tmp_path: Path) -> None:
    store = open_store(tmp_path)
    expand(partition, store, ToyEngine(), run_id="part", options=Options(budget=30))
    with pytest.raises(ReplayMiss, match="not in the store"):
        expand(partition, store, ReplayEngine(store), run_id="replay")


@pytest.mark.parametrize(("window", "shuffle"), [(3, None), (7, 1), (100, 2)])
def test_window_and_order_of_answers_change_no_table(
    partition: Partition, expected: Extract, tmp_path: Path, window: int, shuffle: int | None
) -> None:
    engine = ToyEngine(shuffle=shuffle)
    expand(partition, open_store(tmp_path), engine, run_id="other", options=Options(window=window))
    assert_same(tables(partition, tmp_path), expected)
    assert len(set(engine.asked)) == len(engine.asked), "something was asked twice"


def test_a_limit_first_then_all_asks_only_for_the_rest(
    partition: Partition, expected: Extract, tmp_path: Path
) -> None:
    few = ToyEngine()
    expand(toy_partition(4), open_store(tmp_path), few, run_id="few")
    rest = ToyEngine()
    report = expand(partition, open_store(tmp_path), rest, run_id="rest")
    assert not set(few.asked) & set(rest.asked)
    assert report.from_store > 0
    assert_same(tables(partition, tmp_path), expected)


def test_fewer_strategies_ask_for_a_part(partition: Partition, layer: Path) -> None:
    engine = ToyEngine()
    some = toy_partition(QUESTIONS, toy_study(["base", "verdict"]))
    report = expand(some, open_store(layer), NoEngine(), run_id="some")
    assert report.closed == QUESTIONS
    assert report.from_store < len(open_store(layer))
    assert not engine.asked


def test_base_alone_asks_one_candidate_a_step(tmp_path: Path) -> None:
    partition = toy_partition(6, toy_study(["base"]))
    expand(partition, open_store(tmp_path), ToyEngine(), run_id="base")
    found = tables(partition, tmp_path)
    assert found.closed
    assert set(found.candidates["candidate"]) == {0}
    assert found.raw_scores.empty


def test_judge_seeds_are_score_sets_of_their_own(tmp_path: Path) -> None:
    sampled = DecodingSpec("sampled", 0.8, 1.0, 8, seeds=(0, 1), strategies=("verdict", "mean"))
    partition = toy_partition(5, toy_study(STRATEGIES, [GREEDY, sampled]))
    assert expand(partition, open_store(tmp_path), ToyEngine(), run_id="seeds").closed == 5
    found = tables(partition, tmp_path)
    assert set(found.raw_scores["score_set"]) == {"greedy", "sampled-0", "sampled-1"}


def test_a_lost_engine_keeps_what_was_answered_and_the_next_run_goes_on(
    partition: Partition, expected: Extract, tmp_path: Path
) -> None:
    broken = ToyEngine(lost_after=300)
    report = expand(partition, open_store(tmp_path), broken, run_id="broken")
    assert report.stopped is not None and "the toy broke" in report.stopped
    assert report.open and report.closed < QUESTIONS
    assert len(open_store(tmp_path)) == 300
    assert not tables(partition, tmp_path).closed
    again = ToyEngine()
    expand(partition, open_store(tmp_path), again, run_id="again")
    assert not set(broken.asked) & set(again.asked)
    assert_same(tables(partition, tmp_path), expected)


def test_requests_that_fail_are_counted_and_left_for_another_run(
    partition: Partition, expected: Extract, tmp_path: Path
) -> None:
    report = expand(partition, open_store(tmp_path), ToyEngine(errors=0.01), run_id="hiccups")
    assert report.failed["the toy hiccuped"] > 0
    assert 0 < report.closed < QUESTIONS
    assert report.closed + len(report.open) == QUESTIONS
    assert any("hiccuped" in line for line in report.lines())
    assert expand(partition, open_store(tmp_path), ToyEngine(), run_id="again").closed == QUESTIONS
    # The failing toy spoke with another voice: only its completeness can be compared.
    assert tables(partition, tmp_path).closed


def test_a_budget_is_kept_and_spent_where_most_wait(
    partition: Partition, expected: Extract, tmp_path: Path
) -> None:
    first = ToyEngine()
    options = Options(budget=40)
    report = expand(partition, open_store(tmp_path), first, run_id="budget", options=options)
    assert len(first.asked) == report.asked == 40
    assert report.stopped == "the budget is spent"
    waiting = plan(partition, open_store(tmp_path))
    assert 0 < waiting.questions_open <= QUESTIONS
    assert waiting.steps + waiting.scores > 0
    rest = ToyEngine()
    expand(partition, open_store(tmp_path), rest, run_id="rest")
    assert not set(first.asked) & set(rest.asked)
    assert_same(tables(partition, tmp_path), expected)
    assert plan(partition, open_store(tmp_path)).questions_open == 0


def test_a_study_is_not_mixed_from_two_engines_unless_asked(tmp_path: Path) -> None:
    expand(toy_partition(2), open_store(tmp_path), ToyEngine(), run_id="one")
    other = ToyEngine()
    other.provenance = type(other.provenance)("toy", "2", "cpu", "float32", "single")
    with pytest.raises(UserError, match=r"version 1.*version 2"):
        expand(toy_partition(4), open_store(tmp_path), other, run_id="two")
    assert not other.asked
    report = expand(toy_partition(4), open_store(tmp_path), other, run_id="two", options=Options(mixed=True))
    assert report.closed == 4


def test_equal_questions_share_requests_but_not_nodes(tmp_path: Path) -> None:
    one = toy_partition(2)
    twice = type(one)(
        one.study, one.benchmark, one.questions * 2, (0, 0, 1, 1), one.asking, one.rules, one.points
    )
    engine = ToyEngine()
    assert expand(twice, open_store(tmp_path), engine, run_id="twins").closed == 4
    assert len(set(engine.asked)) == len(engine.asked)
    assert expand(one, open_store(tmp_path), NoEngine(), run_id="one").closed == 2


def test_the_cap_ends_a_chain(tmp_path: Path) -> None:
    partition = toy_partition(4, params=toy_params(max_steps=2))
    expand(partition, open_store(tmp_path), ToyEngine(), run_id="cap")
    found = tables(partition, tmp_path)
    assert found.closed
    assert "cap" in set(found.answers["end"])
    assert found.candidates["depth"].max() == 1
