"""Numbers of the judge probe against counts by hand."""

import pandas as pd
import pytest

from verdict_assets.analysis.diagnostics.metric import Metric
from verdict_assets.analysis.diagnostics.probe import measure
from verdict_assets.schemas.judge_probe import TABLE

JUDGES = ("one", "two")
HELD_OUT = ("swap",)


def rows(*items: tuple[str, int, int, str, float | None, float | None]) -> pd.DataFrame:
    """(question, item, depth, kind, score of the first judge, of the second)."""
    return pd.DataFrame(
        [
            {
                "question_id": question, "item": item, "depth": depth, "kind": kind,
                "held_out": kind in HELD_OUT, "judge": judge, "score": score,
            }
            for question, item, depth, kind, *scores in items
            for judge, score in zip(JUDGES, scores, strict=True)
        ],
        columns=["question_id", "item", "depth", "kind", "held_out", "judge", "score"],
    )  # fmt: skip


def measured(frame: pd.DataFrame) -> dict[str, Metric]:
    return {metric.name: metric for metric in measure(frame, JUDGES, 4, 0.95)}


def test_without_rows_it_says_not_probed() -> None:
    assert measured(pd.DataFrame(columns=list(TABLE.names))) == {
        "probe_questions": Metric("probe_questions", 0.0, 0, 4)
    }


FRAME = rows(
    ("q0", 0, 1, "right", 0.9, 0.5),
    ("q0", 1, 1, "shift", 0.1, 0.5),
    ("q0", 2, 1, "swap", 0.9, 0.1),
    ("q0", 3, 4, "right", 0.0, 0.0),
    ("q0", 4, 4, "letter", 0.4, 0.4),
    ("q1", 0, 2, "right", 0.7, 0.7),
    ("q1", 1, 2, "shift", 0.8, 0.2),
)


def test_an_error_is_compared_with_right_steps_of_its_own_places() -> None:
    found = measured(FRAME)
    # The right step at q0's place 4, which scores nothing, is compared with the letter alone.
    assert found["probe_auc_one_trained.letter"].value == 0.0
    assert found["probe_auc_one_trained.shift"].value == pytest.approx(3 / 4)  # loses only 0.7 against 0.8
    assert found["probe_auc_two_trained.shift"].denominator == 4
    assert found["probe_auc_two_trained.shift"].value == pytest.approx((0.5 + 1 + 1 + 1) / 4)
    assert found["probe_auc_one_held_out.swap"].value == 0.5  # a tie
    assert found["probe_auc_one_held_out"] == Metric("probe_auc_one_held_out", 0.5, 0.5, 1, None)
    assert found["probe_auc_mean_held_out"].value == 1.0
    assert found["probe_auc_one_trained"].denominator == 3 * 3


def test_mean_scores_by_kind_and_judge() -> None:
    found = measured(FRAME)
    assert found["probe_score_one_right"].value == pytest.approx((0.9 + 0.0 + 0.7) / 3)
    assert found["probe_score_mean_trained.shift"].value == pytest.approx((0.3 + 0.5) / 2)
    assert found["probe_score_two_held_out"].denominator == 1
    assert found["probe_questions"].value == 0.5


def test_an_item_without_a_score_is_left_out_and_counted() -> None:
    found = measured(
        pd.concat([FRAME, rows(("q2", 0, 1, "right", None, 1.0), ("q2", 1, 1, "shift", 0.0, 0.0))])
    )
    assert (found["probe_missing"].numerator, found["probe_missing"].denominator) == (1, 9)
    assert found["probe_score_two_right"].denominator == 3
    assert found["probe_auc_one_trained.shift"].denominator == 2 * 3


def test_a_class_that_is_empty_has_no_auc() -> None:
    found = measured(rows(("q0", 0, 1, "right", 0.5, 0.5), ("q0", 1, 1, "swap", 0.5, 0.5)))
    assert found["probe_auc_one_trained"].value is None
    assert found["probe_score_one_trained"].value is None


def test_the_order_of_rows_does_not_matter() -> None:
    assert measured(FRAME.sample(frac=1.0, random_state=3)) == measured(FRAME)
