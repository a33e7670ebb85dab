"""The derived tables on a simulated world: schema, order, agreement with each other, and unfinished cells."""

from __future__ import annotations

import dataclasses
import math

import pandas as pd
import pytest

from verdict_assets.analysis import consensus, main_comparison, outcomes, selections
from verdict_assets.analysis.statistics.intervals import wilson
from verdict_assets.analysis.trees import Recorded, asked, grow
from verdict_assets.config.params import Statistics
from verdict_assets.schemas.check import check, conform
from verdict_assets.schemas.consensus import TABLE as CONSENSUS
from verdict_assets.schemas.main_comparison import TABLE as MAIN
from verdict_assets.schemas.outcomes import TABLE as OUTCOMES
from verdict_assets.schemas.raw_scores import TABLE as RAW_SCORES
from verdict_assets.schemas.selections import TABLE as SELECTIONS
from verdict_assets.schemas.world_diagnostics import TABLE as DIAGNOSTICS

STATISTICS = Statistics(confidence=0.95, bootstrap_draws=200, bootstrap_seed=0, power=0.8)
JUDGES = ("visual", "logical", "contextual")


@pytest.mark.parametrize("name", ["closed_world", "open_world"])
def test_tables_fit_their_schemas(name: str, request: pytest.FixtureRequest) -> None:
    world = request.getfixturevalue(name)
    for frame, table in (
        (world.consensus(), CONSENSUS),
        (world.selections(), SELECTIONS),
        (world.outcomes(), OUTCOMES),
        (world.comparison(), MAIN),
        (world.diagnostics(), DIAGNOSTICS),
    ):
        assert check(frame, table) == []
        keys = frame[list(table.key)].reset_index(drop=True)
        assert keys.equals(keys.sort_values(list(table.key), kind="stable", ignore_index=True)), table.name


def test_order_of_rows_changes_nothing(closed_world) -> None:
    def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.sample(frac=1, random_state=5)

    other = dataclasses.replace(
        closed_world,
        candidates=shuffled(closed_world.candidates),
        raw_scores=shuffled(closed_world.raw_scores),
        answers=shuffled(closed_world.answers),
        step_labels=shuffled(closed_world.step_labels),
        questions=shuffled(closed_world.questions),
    )
    for make in ("consensus", "selections", "outcomes", "comparison", "diagnostics"):
        pd.testing.assert_frame_equal(getattr(other, make)(), getattr(closed_world, make)())


def test_stored_form_gives_the_same_tables(closed_world) -> None:
    """Frames come back from Parquet with nullable dtypes; that must not change a value."""
    from verdict_assets.schemas import answers, candidates, questions, raw_scores, step_labels

    stored = dataclasses.replace(
        closed_world,
        candidates=conform(closed_world.candidates, candidates.TABLE),
        raw_scores=conform(closed_world.raw_scores, raw_scores.TABLE),
        answers=conform(closed_world.answers, answers.TABLE),
        step_labels=conform(closed_world.step_labels, step_labels.TABLE),
        questions=conform(closed_world.questions, questions.TABLE),
    )
    for make, table in (("selections", SELECTIONS), ("outcomes", OUTCOMES), ("diagnostics", DIAGNOSTICS)):
        expected = conform(getattr(closed_world, make)(), table)
        pd.testing.assert_frame_equal(conform(getattr(stored, make)(), table), expected)


def test_a_strategy_named_by_no_catalogue_is_refused(closed_world) -> None:
    study = dataclasses.replace(closed_world.studies["main"], strategies=("base", "oracle"))
    world = dataclasses.replace(closed_world, studies={"main": study})
    with pytest.raises(ValueError, match=r"unknown strategies: oracle; known: .*verdict"):
        world.selections()


def test_consensus_by_hand(closed_world) -> None:
    rows = [
        ("main", "b", "q", "n", candidate, judge, "greedy", str(score), "ok", score, reason)
        for candidate, scores in enumerate([(0.9, 0.3, 0.9), (0.9, None, 0.9), (0.6, 0.6, 0.6)])
        for judge, score in zip(JUDGES, scores, strict=True)
        for reason in [None if score is not None else "not a number"]
    ]
    frame = pd.DataFrame(rows, columns=list(RAW_SCORES.names))
    found = consensus.build(frame, closed_world.studies, closed_world.params)
    first, missing, equal = (found.iloc[at] for at in range(3))
    assert first["mean"] == pytest.approx(0.7077, abs=1e-4)
    assert first["dispersion"] == pytest.approx(0.6 * 0.181185, abs=1e-5)
    assert first["raw_mean"] == pytest.approx(0.7)
    assert first["raw_variance"] == pytest.approx(0.08)
    assert first["raw_mad"] == pytest.approx(0.8 / 3)
    assert len(first["adjusted"]) == 3
    assert math.fsum(first["adjusted"]) / 3 == pytest.approx(first["mean"])
    assert not first["accepted"]
    assert not missing["complete"]
    assert not missing["accepted"]
    assert missing["adjusted"] is None
    assert math.isnan(missing["mean"])
    assert not equal["accepted"], "0.6 is not above 0.6"


def test_outcomes_sum_up_selections(closed_world) -> None:
    picks, ends = closed_world.selections(), closed_world.outcomes()
    key = ["study", "benchmark", "strategy", "score_set", "question_id"]
    joined = picks.groupby(key).agg(
        steps=("step", "size"), falls=("fallback", "sum"), accepted=("accepted_count", "sum")
    )
    ends = ends.set_index(key).loc[joined.index]
    assert (joined["steps"] == ends["steps"]).all()
    assert (joined["falls"] == ends["fallback_steps"]).all()
    assert (joined["accepted"] == ends["accepted_candidates"]).all()
    assert ends["closed"].all()
    assert set(ends["end"]) == {"eos"}


def test_every_path_ends_at_its_leaf(closed_world) -> None:
    """The child of the last choice is the leaf, and each choice leads to the next node."""
    picks = closed_world.selections().merge(
        closed_world.candidates[["node", "candidate", "child"]],
        left_on=["node", "chosen"],
        right_on=["node", "candidate"],
    )
    key = ["strategy", "question_id"]
    picks = picks.sort_values([*key, "step"])
    following = picks.groupby(key)["node"].shift(-1)
    inner = following.notna()
    assert (picks["child"][inner] == following[inner]).all()
    last = picks[~inner].set_index(key)["child"]
    leaves = closed_world.outcomes().set_index(key)["leaf"]
    assert (last.sort_index() == leaves.sort_index()).all()


def test_unfinished_questions_are_counted_and_never_valued(open_world) -> None:
    ends, cells = open_world.outcomes(), open_world.comparison()
    assert not ends["closed"].any()
    assert ends[["leaf", "answer", "correct", "end"]].isna().all(axis=None)
    values = [
        name
        for name in cells.columns
        if name.startswith(("accuracy", "lower", "upper", "difference", "p_", "smallest", "wins", "losses"))
        or (name.endswith(("_lower", "_upper")) and not name.startswith("bound"))
    ]
    assert cells[values].isna().all(axis=None)
    assert (cells["bound_lower"] == 0).all()
    assert (cells["bound_upper"] == 1).all()
    diagnostics = open_world.diagnostics().set_index("metric")
    assert diagnostics.loc["paths_finished", "value"] == 0
    assert diagnostics.loc["probe_questions", "value"] == 0  # not probed
    others = diagnostics.drop(index=["paths_finished", "probe_questions"])
    assert others["value"].isna().all()
    assert others["lower"].isna().all()
    assert others.loc["distinct_candidates", "denominator"] > 0


def test_a_question_that_was_never_started_is_unfinished(closed_world) -> None:
    kept = closed_world.candidates["question_id"] != "scenes_2d-0003"
    world = dataclasses.replace(closed_world, candidates=closed_world.candidates[kept])
    ends = world.outcomes()
    assert (ends[ends["question_id"] == "scenes_2d-0003"]["closed"] == False).all()  # noqa: E712
    cells = world.comparison()
    assert (cells["closed"] == 19).all()
    assert (cells["questions"] == 20).all()
    assert cells["accuracy"].isna().all()
    assert ((cells["bound_upper"] - cells["bound_lower"]).round(9) == 0.05).all()


def test_main_comparison_by_hand() -> None:
    base = [True] * 4 + [False] * 8
    ours = [True] * 3 + [False] + [True] * 7 + [False]
    rows = [
        _outcome(strategy, q, right)
        for strategy, answers in (("base", base), ("verdict", ours))
        for q, right in enumerate(answers)
    ]
    cells = main_comparison.build(pd.DataFrame(rows), STATISTICS).set_index("strategy")
    verdict = cells.loc["verdict"]
    assert (verdict["correct"], verdict["questions"], verdict["accuracy"]) == (10, 12, 10 / 12)
    assert (verdict["wins_base"], verdict["losses_base"]) == (7, 1)
    assert verdict["difference_base"] == 0.5
    assert verdict["p_base"] == 18 / 256  # 2 (C(8,0) + C(8,1)) / 2^8
    assert verdict["difference_base_lower"] < 0.5 < verdict["difference_base_upper"]
    assert verdict["smallest_detectable_base"] > 0.5
    assert pd.isna(verdict["p_verdict"])
    assert cells.loc["base", "difference_verdict"] == -0.5
    assert pd.isna(cells.loc["base", "p_base"])
    assert verdict["capped"] == 1


def test_rates_have_intervals_that_take_questions_as_independent() -> None:
    rows = [_outcome("verdict", q, True) | {"accepted_candidates": 6 * (q % 2)} for q in range(40)]
    cell = main_comparison.build(pd.DataFrame(rows), STATISTICS).iloc[0]
    assert (cell["accepted_candidates"], cell["judged_candidates"]) == (120, 240)
    # All or nothing within a question: as wide as forty coins, not as 240.
    of_questions, of_candidates = wilson(20, 40, 0.95), wilson(120, 240, 0.95)
    assert of_questions is not None and of_candidates is not None
    width = cell["acceptance_upper"] - cell["acceptance_lower"]
    assert width == pytest.approx(of_questions.upper - of_questions.lower, rel=0.02)
    assert width > 2 * (of_candidates.upper - of_candidates.lower)
    assert cell["fallback_lower"] < 0.5 < cell["fallback_upper"]
    rows[3] |= {"closed": False, "correct": None, "end": None}
    unfinished = main_comparison.build(pd.DataFrame(rows), STATISTICS).iloc[0]
    ends = [f"{rate}_{end}" for rate in ("acceptance", "fallback") for end in ("lower", "upper")]
    assert unfinished[ends].isna().all()
    nothing = [_outcome("base", q, True) | {"judged_candidates": 0, "accepted_candidates": 0} for q in (0, 1)]
    assert pd.isna(main_comparison.build(pd.DataFrame(nothing), STATISTICS).iloc[0]["acceptance_lower"])


def test_base_of_another_score_set_is_the_same_run() -> None:
    rows = [_outcome("base", q, q < 3) for q in range(6)]
    rows += [_outcome("verdict", q, q < 5) | {"score_set": "sampled-1"} for q in range(6)]
    cells = main_comparison.build(pd.DataFrame(rows), STATISTICS).set_index("strategy")
    assert cells.loc["verdict", "wins_base"] == 2
    assert pd.isna(cells.loc["base", "wins_verdict"])


def test_one_unfinished_question_leaves_no_comparison() -> None:
    rows = [_outcome("base", q, True) for q in range(4)] + [_outcome("verdict", q, True) for q in range(4)]
    rows[-1] |= {"closed": False, "correct": None, "end": None}
    cells = main_comparison.build(pd.DataFrame(rows), STATISTICS).set_index("strategy")
    assert cells.loc["base", "accuracy"] == 1
    assert pd.isna(cells.loc["base", "p_verdict"])
    assert pd.isna(cells.loc["verdict", "p_base"])
    assert (cells.loc["verdict", "bound_lower"], cells.loc["verdict", "bound_upper"]) == (0.75, 1)


def _outcome(strategy: str, question: int, right: bool) -> dict[str, object]:
    return {
        "study": "main",
        "benchmark": "b",
        "strategy": strategy,
        "score_set": "greedy",
        "question_id": f"q{question:02d}",
        "closed": True,
        "leaf": f"leaf-{strategy}-{question}",
        "answer": "A",
        "correct": right,
        "end": "cap" if question == 11 else "eos",
        "steps": 3,
        "judged_steps": 2,
        "fallback_steps": 1,
        "judged_candidates": 6,
        "accepted_candidates": 4,
        "missing_scores": 0,
    }


def test_asked_takes_the_first_in_the_benchmarks_order() -> None:
    frame = pd.DataFrame(
        {"benchmark": ["b", "b", "c", "b"], "question_id": ["z", "a", "x", "m"], "position": [0, 2, 0, 1]}
    )
    assert asked(frame, "b", 2) == ["z", "m"]
    assert asked(frame, "b", None) == ["z", "m", "a"]


def _candidate(
    node: str, depth: int, index: int, child: str | None, end: str | None = None
) -> dict[str, object]:
    parent = None if depth == 0 else "root"
    return {
        "study": "s",
        "benchmark": "b",
        "question_id": "q",
        "node": node,
        "parent": parent,
        "depth": depth,
        "candidate": index,
        "text": child or "",
        "state": "ok",
        "child": child,
        "child_end": end,
    }


def _score(candidate: int, judge: str, score: float | None) -> dict[str, object]:
    return {
        "study": "s",
        "benchmark": "b",
        "question_id": "q",
        "node": "n1",
        "candidate": candidate,
        "judge": judge,
        "score_set": "greedy",
        "score": score,
    }


def _tree(candidates: list[dict[str, object]], scores: list[dict[str, object]]):
    names = ["question_id", "node", "candidate", "judge", "score_set", "score"]
    answers = pd.DataFrame({"node": ["leaf0", "elsewhere"], "correct": [True, False]})
    recorded = Recorded(pd.DataFrame(candidates), pd.DataFrame(scores, columns=names), answers)
    return grow(recorded, ["q"], ["one", "two"], 2)


def test_tree_of_a_lost_candidate_waits_for_it() -> None:
    tree = _tree(
        [
            _candidate("root", 0, 0, "n1"),
            _candidate("n1", 1, 0, "leaf0", "eos"),
            _candidate("n1", 1, 1, None),
        ],
        [],
    )
    assert not tree.sampled[tree.ids.index("n1")]
    assert tree.answered[tree.ids.index("leaf0")]


def test_tree_needs_no_score_of_a_candidate_without_text() -> None:
    candidates = [
        _candidate("root", 0, 0, "n1"),
        _candidate("n1", 1, 0, "leaf0", "eos"),
        _candidate("n1", 1, 1, "leaf1", "empty"),
    ]
    half = [_score(0, "one", 0.5)]
    assert not _tree(candidates, half).scored
    tree = _tree(candidates, [*half, _score(0, "two", None)])
    node = tree.ids.index("n1")
    assert tree.scored["greedy"][node]
    assert tree.scores["greedy"][node, 0].tolist()[0] == 0.5
    assert math.isnan(tree.scores["greedy"][node, 0, 1])


def test_two_roots_of_one_question_are_refused() -> None:
    with pytest.raises(ValueError, match="already has another root"):
        _tree([_candidate("root", 0, 0, "n1"), _candidate("root2", 0, 0, "n1")], [])


def test_builders_agree_with_replay_modules(closed_world) -> None:
    arguments = (
        closed_world.candidates,
        closed_world.raw_scores,
        closed_world.answers,
        closed_world.questions,
    )
    options = {"studies": closed_world.studies, "params": closed_world.params}
    assert len(outcomes.build(*arguments, **options)) == 16 * 20
    assert selections.build(*arguments, **options)["strategy"].nunique() == 16
