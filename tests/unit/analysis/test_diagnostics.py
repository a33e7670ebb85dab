"""World diagnostics against counts by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from verdict_assets.analysis.diagnostics import choice, judges, steps
from verdict_assets.analysis.diagnostics.metric import Metric, ratio, share
from verdict_assets.analysis.diagnostics.rows import world

JUDGES = ("visual", "logical")
# node, depth, candidate, text, child, end, true, follows, readable, scores
TREE = [
    ("r1", 0, 0, "plan", "a1", None, True, True, True, None),
    ("a1", 1, 0, "red is left", "a1-l0", "eos", False, True, True, (0.2, 0.2)),
    ("a1", 1, 1, "red is right", "a1-l1", "eos", True, True, True, (0.9, 0.8)),
    ("a1", 1, 2, "red is left", "a1-l0", "eos", False, True, True, (0.2, 0.2)),
    ("r2", 0, 0, "plan", "a2", None, True, True, True, None),
    ("a2", 1, 0, "blue is near", "a2-l0", "eos", True, True, True, (0.8, 0.8)),
    ("a2", 1, 1, "?!", "a2-l1", "cap", None, None, False, (0.5, 0.1)),
    ("a2", 1, 2, "## heading", "a2-l2", "loop", True, False, True, (0.8, None)),
]


@pytest.fixture
def small():
    question = {"r1": "q1", "a1": "q1", "r2": "q2", "a2": "q2"}
    candidates = pd.DataFrame(
        {
            "question_id": question[node], "node": node, "depth": depth, "candidate": index, "text": text,
            "child": child, "child_end": end, "state": "ok", "blank_lines": int(text == "?!"),
        }
        for node, depth, index, text, child, end, *_ in TREE
    )  # fmt: skip
    labels = pd.DataFrame(
        {
            "question_id": question[node], "node": node, "candidate": index, "readable": readable,
            "true_of_scene": true, "follows": follows, "relevant": true,
        }
        for node, _, index, _, _, _, true, follows, readable, _ in TREE
    )  # fmt: skip
    scores = pd.DataFrame(
        {
            "study": "s", "benchmark": "b", "question_id": question[node], "node": node, "candidate": index,
            "judge": judge, "score_set": "greedy", "score": score,
        }
        for node, _, index, _, _, _, _, _, _, pair in TREE if pair
        for judge, score in zip(JUDGES, pair, strict=True)
    )  # fmt: skip
    answers = pd.DataFrame(
        {
            "question_id": ["q1", "q1", "q2"],
            "node": ["a1-l0", "a1-l1", "a2-l0"],
            "end": ["eos", "eos", "eos"],
            "answer": ["A", "B", None],
            "correct": [False, True, False],
        }
    )
    selections = pd.DataFrame(
        [
            (strategy, question, step, node, chosen if node == "a1" else 0)
            for strategy, chosen in (("base", 0), ("verdict", 1))
            for question, step, node in (("q1", 0, "r1"), ("q1", 1, "a1"), ("q2", 0, "r2"), ("q2", 1, "a2"))
        ],
        columns=["strategy", "question_id", "step", "node", "chosen"],
    )  # fmt: skip
    outcomes = pd.DataFrame(
        {
            "strategy": ["base", "base", "verdict", "verdict"],
            "question_id": ["q1", "q2", "q1", "q2"],
            "closed": True,
            "correct": [False, False, True, False],
        }
    )
    return world(candidates, scores, answers, labels, selections, outcomes, JUDGES)


def named(metrics: list[Metric]) -> dict[str, Metric]:
    found = {metric.name: metric for metric in metrics}
    assert len(found) == len(metrics), "names are unique"
    return found


def test_choice(small) -> None:
    found = named(choice.measure(small, "verdict", 0.95))
    assert (found["base_accuracy"].numerator, found["base_accuracy"].denominator) == (0, 2)
    assert found["distinct_candidates"].value == 5 / 2
    assert found["closure_factor"].value == 1.0
    assert found["chosen_sound_base"].value == 0.5
    assert found["chosen_sound_verdict"].value == 1.0
    assert found["truth_choice_accuracy"].value == 0.5
    assert found["truth_choice_finished"].value == 1.0
    assert found["any_leaf_right"].value == 0.5


def test_choosing_by_truth_off_the_tree_has_bounds_only(small) -> None:
    small.answers.drop(index=1, inplace=True)
    found = named(choice.measure(small, "verdict", 0.95))
    assert found["truth_choice_accuracy"].value is None
    assert found["truth_choice_finished"].value == 0.5
    assert found["truth_choice_if_unfinished_wrong"].value == 0.0
    assert found["truth_choice_if_unfinished_right"].value == 0.5


def test_judges(small) -> None:
    found = named(judges.measure(small, "verdict", 0.95))
    assert (found["unanimous"].numerator, found["unanimous"].denominator) == (3, 5)
    assert found["score_values"].value == 5  # 0.1, 0.2, 0.5, 0.8, 0.9
    assert found["score_values_visual"].value == 4
    assert found["score_visual_0.2"].numerator == 2
    assert found["score_logical_0.8"].denominator == 5
    assert (found["score_missing_logical"].numerator, found["score_missing_logical"].denominator) == (1, 6)
    # Readable and complete: two wrong at 0.2, one right at 0.85, one right at 0.8.
    assert found["auc_mean_sound"].value == 1.0
    assert (found["auc_mean_sound"].numerator, found["auc_mean_sound"].denominator) == (4, 4)
    assert found["auc_mean_follows"].value is None, "only one class"
    assert 0 < found["correlation_visual_logical"].value < 1


def test_steps(small) -> None:
    found = named(steps.measure(small, "verdict", 0.95))
    assert (found["step_unreadable"].numerator, found["step_unreadable"].denominator) == (1, 6)
    assert (found["step_true_of_scene"].numerator, found["step_true_of_scene"].denominator) == (3, 5)
    assert found["step_sound"].numerator == 2
    assert found["candidates_heading_only"].numerator == 1
    assert found["candidates_after_blank_lines"].numerator == 1
    assert found["candidates_repeated"].numerator == 1
    assert found["candidates_truncated"].value == 0.0
    assert (found["leaves_eos"].numerator, found["leaves_without_answer"].numerator) == (3, 1)


def test_shares_of_nothing_have_no_value() -> None:
    assert share("x", [], [], 0.95) == Metric("x", None, 0, 0, None)
    assert ratio("x", 0, 0).value is None
