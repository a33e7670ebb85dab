"""The queries of docs/sql.md, as they stand there: each runs, answers its question, and does so exactly."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from tiny_project import Run

from verdict_assets.config.params import load_params
from verdict_assets.config.paths import Project

ROOT = Path(__file__).parents[2]
QUERIES = {
    int(number): query
    for number, query in re.findall(
        r"^## (\d+)\..*?```sql\n(.*?)```",
        (ROOT / "docs" / "sql.md").read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
}
TESTS = load_params(ROOT).consensus
Rows = list[dict[str, object]]


def asked(warehouse: Path, query: str, threads: int = 1) -> Rows:
    config = {"threads": threads, "autoinstall_known_extensions": False}
    with duckdb.connect(str(warehouse), read_only=True, config=config) as connection:
        found = connection.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_there_are_ten() -> None:
    assert sorted(QUERIES) == list(range(1, 11))


@pytest.mark.parametrize("number", sorted(QUERIES))
def test_threads_and_repetition_change_nothing(finished: Project, number: int) -> None:
    one = asked(finished.warehouse, QUERIES[number])
    assert [repr(asked(finished.warehouse, QUERIES[number], threads)) for threads in (1, 2)] == [
        repr(one)
    ] * 2


@pytest.mark.parametrize("number", sorted(QUERIES))
def test_no_aggregate_depends_on_the_order_of_rows(number: int) -> None:
    """`favg`, `fsum`, counts, medians and extremes do not; sums are of whole numbers."""
    query = QUERIES[number].lower()
    assert not re.search(
        r"\b(avg|mean|stddev\w*|var_\w*|variance|corr|regr_\w*|first|last|any_value|mode)\(", query
    )
    assert all(re.match(r"count\(\*\)|prompt_tokens", of) for of in re.findall(r"\bsum\((.*)", query))
    assert "order by" in query


def test_the_exact_aggregates_of_duckdb_are_exact() -> None:
    """Over enough rows for several threads; with `avg` this fails."""
    rows = "SELECT hash(i) / 18446744073709551616.0 AS x, i % 3 AS g FROM range(600000) t(i)"
    found = set()
    for threads in (1, 2, 4, 2):
        with duckdb.connect(config={"threads": threads}) as connection:
            connection.execute(f"CREATE TABLE scores AS {rows}")
            answer = connection.execute(
                "SELECT g, favg(x), fsum(x), median(x) FROM scores GROUP BY g ORDER BY g"
            )
            found.add(repr(answer.fetchall()))
    assert len(found) == 1


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, run: Run) -> Project:
    """The warehouse of the recorded run; tables that are there already are taken over, not computed again."""
    project = Project(tmp_path_factory.mktemp("recorded"))
    project.data.mkdir()
    shutil.copytree(ROOT / "studies", project.studies)
    shutil.copy(ROOT / "params.yaml", project.params)
    for folder in ("recorded", "weights"):
        (project.data / folder).symlink_to(ROOT / "data" / folder)
    if (ROOT / "data" / "tables").is_dir():
        shutil.copytree(ROOT / "data" / "tables", project.tables)
    run(project, "recompute")
    return project


def differ(rows: Rows) -> None:
    assert all(row["verdict"] != row["mean"] for row in rows)
    assert all(row["verdict_is_right"] == (row["verdict"] == row["gold"]) for row in rows)


def fall_back(rows: Rows) -> None:
    assert all(0 < row["fallback_steps"] <= row["judged_steps"] for row in rows)


def agree(rows: Rows) -> None:
    assert rows
    assert all(0 <= row["equal"] <= 1 and 0 <= row["distance"] <= 1 - row["equal"] + 1e-9 for row in rows)


def spread(rows: Rows) -> None:
    assert {row["fallback"] for row in rows} >= {False}
    assert all(0 <= row["median"] <= row["largest"] < 0.2 for row in rows)
    assert all(row["largest"] < TESTS.epsilon for row in rows if not row["fallback"])


def replies(rows: Rows) -> None:
    chosen = {(row["study"], row["candidate"]) for row in rows if row["chosen"]}
    studies = {row["study"] for row in rows}
    assert len(chosen) == len(studies) > 0
    assert {row["judge"] for row in rows} == {"visual", "logical", "contextual"}


def kinds(rows: Rows) -> None:
    assert {"count", "relation"} <= {row["type"] for row in rows}
    assert {"base", "mean", "verdict"} == {row["strategy"] for row in rows}
    assert all(row["correct"] / row["questions"] == row["accuracy"] for row in rows)


def equal_texts(rows: Rows) -> None:
    assert rows
    assert all(1 <= row["different"] <= row["drawn"] for row in rows)


def tokens(rows: Rows) -> None:
    assert {row["table_name"] for row in rows} >= {"candidates", "raw_scores"}
    for study in {row["study"] for row in rows}:
        mine = [row for row in rows if row["study"] == study]
        total = sum(row["prompt_tokens"] + row["output_tokens"] for row in mine)
        assert {row["study_tokens"] for row in mine} == {total}
        assert total > len(mine)


def unread(rows: Rows) -> None:
    assert {row["judge"] for row in rows} == {"visual", "logical", "contextual"}
    shares: dict[tuple[object, ...], float] = {}
    for row in rows:
        key = row["study"], row["benchmark"], row["judge"]
        shares[key] = shares.get(key, 0.0) + float(row["share"])
    assert list(shares.values()) == pytest.approx([1.0] * len(shares))


def rejected(rows: Rows) -> None:
    """Each fails one of the two tests at the default parameters, or lacks a score."""
    assert all(
        row["mean"] is None or row["mean"] <= TESTS.tau + 1e-9 or row["dispersion"] >= TESTS.epsilon - 1e-9
        for row in rows
    )


CHECKS: dict[int, Callable[[Rows], None]] = dict(
    enumerate(
        [differ, fall_back, agree, spread, replies, kinds, equal_texts, tokens, unread, rejected], start=1
    )
)


def test_every_question_is_answered_of_the_recorded_run(recorded: Project) -> None:
    for number, check in CHECKS.items():
        rows = asked(recorded.warehouse, QUERIES[number])
        check(rows)
        assert repr(asked(recorded.warehouse, QUERIES[number], threads=2)) == repr(rows), number
    assert sum(len(asked(recorded.warehouse, QUERIES[number])) > 0 for number in QUERIES) >= 8
