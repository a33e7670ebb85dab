"""Rows that are written are the rows that are read; equal rows are equal bytes and equal hashes."""

from pathlib import Path
from random import Random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.errors import UserError
from verdict_assets.schemas.parquet import _typed_rows as typed_rows
from verdict_assets.schemas.parquet import file_sha256, read_table, read_tables, rows_sha256, write_table
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="things",
    meaning="Things.",
    columns=(
        Column("id", Type.TEXT, "Id."),
        Column("n", Type.INTEGER, "N.", nullable=True),
        Column("x", Type.REAL, "X.", nullable=True),
        Column("good", Type.BOOLEAN, "Good.", nullable=True),
        Column("text", Type.TEXT, "Text.", nullable=True),
        Column("names", Type.TEXTS, "Names.", nullable=True),
        Column("numbers", Type.REALS, "Numbers.", nullable=True),
    ),
    key=("id",),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
REAL = st.floats(allow_nan=False, allow_infinity=False)
ROW = st.fixed_dictionaries(
    {
        "n": st.none() | st.integers(-(2**62), 2**62),
        "x": st.none() | REAL,
        "good": st.none() | st.booleans(),
        "text": st.none() | TEXT,
        "names": st.none() | st.lists(TEXT, max_size=3),
        "numbers": st.none() | st.lists(st.none() | REAL, max_size=3),
    }
)

ROW_OF_NOTHING: dict[str, object] = dict.fromkeys(TABLE.names[1:])


def frame(rows: dict[str, dict[str, object]]) -> pd.DataFrame:
    names = list(rows)
    columns = {
        name: pd.Series([rows[key][name] for key in names], dtype="object") for name in TABLE.names[1:]
    }
    return pd.DataFrame({"id": pd.Series(names, dtype="object"), **columns})


@given(st.dictionaries(TEXT, ROW, max_size=6))
@settings(max_examples=40, deadline=None)
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, dict[str, object]]
) -> None:
    path = tmp_path_factory.mktemp("table") / "things.parquet"
    stored = write_table(frame(rows), TABLE, path)
    found = read_table(TABLE, path)
    assert stored.dtypes.equals(found.dtypes)
    assert repr(stored.to_dict("list")) == repr(
        found.to_dict("list")
    )  # a NaN is equal to itself only in words
    assert rows_sha256(stored, TABLE) == rows_sha256(found, TABLE)


@given(st.dictionaries(TEXT, ROW, min_size=2, max_size=6), st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_the_order_of_rows_changes_no_byte(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, dict[str, object]], random: Random
) -> None:
    folder = tmp_path_factory.mktemp("table")
    names = list(rows)
    random.shuffle(names)
    write_table(frame(rows), TABLE, folder / "one.parquet")
    write_table(frame({name: rows[name] for name in names}), TABLE, folder / "other.parquet")
    assert file_sha256(folder / "one.parquet") == file_sha256(folder / "other.parquet")


def row(**changes: object) -> dict[str, dict[str, object]]:
    values = {"n": 1, "x": 0.5, "good": True, "text": "t", "names": ["a", "b"], "numbers": [0.5, None]}
    return {"a": {**values, **changes}}


@pytest.mark.parametrize(
    "changes",
    [
        {"n": 2}, {"n": None}, {"x": 0.25}, {"x": None}, {"good": False}, {"good": None}, {"text": ""},
        {"text": None}, {"names": ["ab"]}, {"names": []}, {"names": None}, {"numbers": [0.5]},
        {"numbers": [None, 0.5]}, {"numbers": None},
    ],
)  # fmt: skip
def test_any_changed_value_changes_the_hash(tmp_path: Path, changes: dict[str, object]) -> None:
    one = write_table(frame(row()), TABLE, tmp_path / "one.parquet")
    other = write_table(frame(row(**changes)), TABLE, tmp_path / "other.parquet")
    assert rows_sha256(one, TABLE) != rows_sha256(other, TABLE)


def test_the_hash_of_rows_is_pinned(tmp_path: Path) -> None:
    """It stands in manifests: a new encoding would make every old one wrong."""
    stored = write_table(frame(row()), TABLE, tmp_path / "things.parquet")
    assert rows_sha256(stored, TABLE) == "accce2339de4be05f86a4a8825d47fd8e59e62d1439371b8f2c42f3040851411"


def test_a_refused_frame_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "things.parquet"
    write_table(frame(row()), TABLE, path)
    before = file_sha256(path)
    with pytest.raises(UserError):
        write_table(frame(row(text=3)), TABLE, path)
    assert file_sha256(path) == before
    assert [file.name for file in tmp_path.iterdir()] == ["things.parquet"]


def test_several_files_are_read_as_one_table(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write_table(frame({name: row()["a"]}), TABLE, tmp_path / f"{name}.parquet")
    assert read_tables(TABLE, [tmp_path / "b.parquet", tmp_path / "a.parquet"])["id"].tolist() == ["a", "b"]
    assert len(read_tables(TABLE, [])) == 0


@pytest.mark.parametrize("damage", ["missing", "no parquet", "another table"])
def test_a_file_that_is_not_the_table_is_refused_with_a_remedy(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "things.parquet"
    if damage == "no parquet":
        path.write_bytes(b"PAR1 nothing")
    if damage == "another table":
        other = Table("other", "Other.", (Column("id", Type.TEXT, "Id."),), ("id",))
        write_table(pd.DataFrame({"id": ["a"]}), other, path)
    with pytest.raises(UserError, match="recompute"):
        read_table(TABLE, path)


def test_a_file_that_is_not_accepted_does_not_take_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "things.parquet"
    write_table(frame({"a": ROW_OF_NOTHING}), TABLE, path)
    before = path.read_bytes()
    seen = []

    def refuse(written: pd.DataFrame) -> None:
        seen.append(list(written["id"]))
        assert path.read_bytes() == before
        raise UserError("not these")

    with pytest.raises(UserError, match="not these"):
        write_table(frame({"b": ROW_OF_NOTHING}), TABLE, path, refuse)
    assert seen == [["b"]]
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["things.parquet"]


def test_a_file_that_reads_back_as_other_rows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "verdict_assets.schemas.parquet._typed_rows", lambda table: f"{typed_rows(table)} LIMIT 1"
    )
    with pytest.raises(UserError, match="does not read back"):
        write_table(frame({"a": ROW_OF_NOTHING, "b": ROW_OF_NOTHING}), TABLE, tmp_path / "things.parquet")
    assert list(tmp_path.iterdir()) == []
