"""The ledger: ids, order, exact counts, and that nothing is written twice."""

from __future__ import annotations

import csv
import dataclasses
import io
import math

import pandas as pd
import pytest

from verdict_assets.config.studies import DecodingSpec, StudySpec
from verdict_assets.reporting.ledger.book import COLUMNS, Ledger, numbers_csv
from verdict_assets.reporting.ledger.definitions import DIAGNOSTICS, diagnostic
from verdict_assets.reporting.ledger.entry import Entry, Kind
from verdict_assets.reporting.ledger.tables import build


def manifest(world, *, draft: bool = False) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "study": study, "benchmark": benchmark, "table_name": table, "rows": 7, "sha256": "0" * 64,
            "closed": True, "draft": draft, "questions": limit, "questions_closed": limit,
        }
        for study, spec in world.studies.items()
        for benchmark, limit in spec.benchmarks.items()
        for table in ("candidates", "raw_scores", "answers")
    )  # fmt: skip


def ledger_of(world, *, draft: bool = False) -> Ledger:
    return build(
        world.comparison(),
        world.diagnostics(),
        manifest(world, draft=draft),
        studies=world.studies,
        params=world.params,
    )


@pytest.mark.parametrize("number", ["a/b", "a/b/c/d", "A/b/c", "a//c", "a/b c/d", "a/b/c\n", "-a/b/c"])
def test_an_id_is_three_slugs(number: str) -> None:
    with pytest.raises(ValueError, match="table/row/column"):
        Entry(number, Kind.COUNT, 1, "x")


def test_an_id_is_written_once() -> None:
    ledger = Ledger([Entry("a/b/c", Kind.COUNT, 1, "x")])
    with pytest.raises(ValueError, match="already has"):
        ledger.write(Entry("a/b/c", Kind.COUNT, 2, "x"))


def test_csv_is_sorted_exact_and_independent_of_the_order_of_writing() -> None:
    entries = [
        Entry("t/r.b-1/x", Kind.SHARE, 1 / 3, 'says "so"', numerator=1.0, denominator=3.0, draft=True),
        Entry("t/r/x", Kind.REAL, None, "nothing"),
        Entry("t/r.a/x", Kind.REAL, 1e-30, "small"),
    ]
    text = numbers_csv(Ledger(entries))
    assert text == numbers_csv(Ledger(reversed(entries)))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["id"] for row in rows] == ["t/r.a/x", "t/r.b-1/x", "t/r/x"]
    assert tuple(rows[0]) == COLUMNS
    assert float(rows[1]["value"]) == 1 / 3
    assert (rows[1]["numerator"], rows[1]["denominator"], rows[1]["draft"]) == ("1", "3", "yes")
    assert rows[2]["value"] == ""
    assert "\r" not in text


def test_numbers_of_a_closed_world(closed_world) -> None:
    ledger = ledger_of(closed_world)
    cells = closed_world.comparison().set_index("strategy")
    entry = ledger["main_comparison/main.scenes_2d.verdict.greedy/accuracy"]
    assert (entry.numerator, entry.denominator, entry.n) == (cells.loc["verdict", "correct"], 20, 20)
    assert entry.value == entry.numerator / entry.denominator
    assert entry.lower < entry.value < entry.upper
    for rate in ("acceptance", "fallback"):
        entry = ledger[f"main_comparison/main.scenes_2d.verdict.greedy/{rate}"]
        assert entry.lower < entry.value < entry.upper
    entry = ledger["main_comparison/main.scenes_2d.verdict.greedy/accuracy"]
    assert (entry.strategy, entry.study, entry.benchmark, entry.draft) == (
        "verdict",
        "main",
        "scenes_2d",
        False,
    )
    difference = ledger["main_comparison/main.scenes_2d.verdict.greedy/difference_base"]
    wins, losses = (
        ledger[f"main_comparison/main.scenes_2d.verdict.greedy/{name}_base"] for name in ("wins", "losses")
    )
    assert difference.numerator == wins.value - losses.value
    assert "main_comparison/main.scenes_2d.verdict.greedy/bound_lower" not in ledger
    assert "main_comparison/main.scenes_2d.base.greedy/difference_base" not in ledger
    assert ledger["score_manifest/main.scenes_2d/questions"].value == 20
    assert ledger["parameters/consensus.stubbornness/visual"].value == 1.5
    for entry in ledger:
        if entry.kind is Kind.SHARE and entry.value is not None and entry.denominator:
            assert entry.value == entry.numerator / entry.denominator, entry.id


def with_seeds(world) -> tuple[pd.DataFrame, dict[str, StudySpec]]:
    """The comparison as if three judge seeds had been drawn: 10, 12 and 17 right of VERDICT's 20."""
    (spec,) = world.studies.values()
    decodings = (DecodingSpec("greedy", 0.0, 1.0, 8), DecodingSpec("sampled", 1.0, 1.0, 8, seeds=(0, 1, 2)))
    cell = world.comparison().query("strategy == 'verdict'")
    rows = [cell] + [
        cell.assign(score_set=f"sampled-{seed}", correct=right, accuracy=right / 20)
        for seed, right in enumerate((10, 12, 17))
    ]
    return pd.concat(rows), {spec.name: dataclasses.replace(spec, judge_decoding=decodings)}


def test_seeds_of_one_decoding_have_a_deviation(closed_world) -> None:
    comparison, studies = with_seeds(closed_world)
    arguments = (closed_world.diagnostics(), manifest(closed_world))
    ledger = build(comparison, *arguments, studies=studies, params=closed_world.params)
    head = "main_comparison/main.scenes_2d.verdict"
    found = [ledger[f"{head}.sampled-{seed}/accuracy"].deviation for seed in range(3)]
    assert found == [math.sqrt(((10 - 13) ** 2 + (12 - 13) ** 2 + (17 - 13) ** 2) / 2) / 20] * 3
    assert ledger[f"{head}.sampled-0/fallback"].deviation == 0
    assert ledger[f"{head}.greedy/accuracy"].deviation is None
    comparison.loc[comparison["score_set"] == "sampled-1", ["closed", "accuracy"]] = [19, None]
    ledger = build(comparison, *arguments, studies=studies, params=closed_world.params)
    assert ledger[f"{head}.sampled-0/accuracy"].deviation is None, "one seed is unfinished"


def test_numbers_of_an_open_world_have_bounds_and_no_value(open_world) -> None:
    ledger = ledger_of(open_world, draft=True)
    cell = "main_comparison/main.scenes_2d.verdict.greedy"
    assert ledger[f"{cell}/accuracy"].value is None
    assert ledger[f"{cell}/acceptance"].value is None
    assert ledger[f"{cell}/finished"].value == 0
    assert (ledger[f"{cell}/bound_lower"].value, ledger[f"{cell}/bound_upper"].value) == (0, 1)
    assert all(entry.draft for entry in ledger if entry.table in ("main_comparison", "world_diagnostics"))


def test_every_diagnostic_is_defined(closed_world) -> None:
    for metric in closed_world.diagnostics()["metric"]:
        assert diagnostic(metric).text.endswith((".", "last.")), metric
    assert diagnostic("score_visual_0.3").label == "visual score 0.3"
    assert diagnostic("auc_mean_true_of_scene").text.count("true of the scene") == 1
    with pytest.raises(KeyError, match="no definition"):
        diagnostic("luck")
    assert set(DIAGNOSTICS) <= set(closed_world.diagnostics()["metric"])
