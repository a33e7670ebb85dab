"""What a schema refuses, and the one form in which rows are stored."""

import numpy as np
import pandas as pd
import pytest

from verdict_assets.errors import UserError
from verdict_assets.schemas.check import check, conform, empty
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="things",
    meaning="Things.",
    columns=(
        Column("id", Type.TEXT, "Id."),
        Column("index", Type.INTEGER, "Index.", low=0),
        Column("share", Type.REAL, "Share.", nullable=True, low=0.0, high=1.0),
        Column("kind", Type.TEXT, "Kind.", nullable=True, values=("one", "two")),
        Column("good", Type.BOOLEAN, "Good.", nullable=True),
        Column("names", Type.TEXTS, "Names."),
        Column("numbers", Type.REALS, "Numbers.", nullable=True),
    ),
    key=("id", "index"),
)


def frame(**changes: object) -> pd.DataFrame:
    columns: dict[str, object] = {
        "id": ["b", "a"],
        "index": [0, 1],
        "share": [0.5, None],
        "kind": ["one", None],
        "good": [True, None],
        "names": [["x", "y"], []],
        "numbers": [[0.1, np.nan], None],
    }
    return pd.DataFrame({**columns, **changes})


def test_a_right_frame_has_no_problem() -> None:
    assert check(frame(), TABLE) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": ["a", None]}, "id: 1 values are missing"),
        ({"id": ["a", "a"], "index": [0, 0]}, "1 rows repeat a key (id, index)"),
        ({"index": [0, -1]}, "index: smallest value -1 is below 0"),
        ({"index": [0.5, 1.0]}, "index: expected BIGINT, found floating"),
        ({"index": ["0", "1"]}, "index: expected BIGINT, found string"),
        ({"index": [True, False]}, "index: expected BIGINT, found boolean"),
        ({"share": [1.5, 0.0]}, "share: largest value 1.5 is above 1"),
        ({"share": [np.inf, 0.0]}, "share: values that are not finite"),
        ({"kind": ["one", "three"]}, "kind: values that are not allowed: three"),
        ({"good": ["yes", "no"]}, "good: expected BOOLEAN, found string"),
        ({"names": ["x", "y"]}, "names: expected VARCHAR[], found str"),
        ({"names": [["x", 1], []]}, "names: a list holds 1"),
        ({"numbers": [["x"], None]}, "numbers: a list holds 'x'"),
        ({"more": [1, 2]}, "columns that are not in the schema: more"),
    ],
)
def test_every_breach_is_named(changes: dict[str, object], words: str) -> None:
    problems = check(frame(**changes), TABLE)
    assert any(words in problem for problem in problems), problems


def test_missing_columns_are_named() -> None:
    assert check(frame().drop(columns=["share", "names"]), TABLE) == ["columns missing: share, names"]


def test_all_problems_come_in_one_message() -> None:
    with pytest.raises(UserError, match="things") as refused:
        conform(frame(index=[0, -1], share=[2.0, 0.0]), TABLE)
    assert "index" in str(refused.value)
    assert "share" in str(refused.value)


def test_stored_rows_are_sorted_by_key_with_one_dtype_a_type() -> None:
    stored = conform(frame()[list(reversed(TABLE.names))], TABLE)
    assert list(stored.columns) == list(TABLE.names)
    assert list(stored["id"]) == ["a", "b"]
    assert [str(dtype) for dtype in stored.dtypes] == [
        "object", "int64", "float64", "object", "boolean", "object", "object",
    ]  # fmt: skip
    assert stored["kind"].tolist() == [None, "one"]
    assert np.isnan(stored["numbers"][1][1])


def test_integers_with_gaps_that_pandas_made_floats_are_integers_again() -> None:
    table = Table(
        "gaps",
        "Gaps.",
        (Column("id", Type.TEXT, "Id."), Column("n", Type.INTEGER, "N.", nullable=True)),
        ("id",),
    )
    stored = conform(pd.DataFrame({"id": ["a", "b"], "n": [3.0, np.nan]}), table)
    assert stored["n"].tolist() == [3, pd.NA]


def test_rounding_at_the_edge_of_an_interval_is_forgiven() -> None:
    assert check(frame(share=[1.0 + 1e-12, -1e-12]), TABLE) == []


def test_an_empty_frame_is_a_table_without_rows() -> None:
    assert len(empty(TABLE)) == 0
    assert list(empty(TABLE).columns) == list(TABLE.names)


def test_a_table_refuses_a_key_that_may_be_null() -> None:
    with pytest.raises(ValueError, match="key"):
        Table("bad", "Bad.", (Column("id", Type.TEXT, "Id.", nullable=True),), ("id",))
