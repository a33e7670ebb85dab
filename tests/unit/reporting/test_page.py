"""The page: figures only through the ledger, nothing fetched, the same bytes everywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from verdict_assets.reporting import report
from verdict_assets.reporting.ledger.entry import Entry, Kind
from verdict_assets.reporting.pages.digits import stray_digits
from verdict_assets.reporting.plots import accuracy, scores
from verdict_assets.reporting.plots.canvas import themed

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """Collects ids, links and what is loaded from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.hrefs: list[str] = []
        self.loads: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name == "href" and value and tag == "a":
                self.hrefs.append(value)
            if name in ("src", "srcset", "data", "href") and value and tag not in ("a", "use"):
                self.loads.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def manifest(world, *, draft: bool):
    from pandas import DataFrame

    return DataFrame(
        {
            "study": study, "benchmark": benchmark, "table_name": "candidates", "rows": 7, "sha256": "0" * 64,
            "closed": True, "draft": draft, "questions": limit, "questions_closed": limit,
        }
        for study, spec in world.studies.items()
        for benchmark, limit in spec.benchmarks.items()
    )  # fmt: skip


def made(world, *, draft: bool = False) -> report.Report:
    return report.build(
        world.comparison(),
        world.diagnostics(),
        manifest(world, draft=draft),
        studies=world.studies,
        params=world.params,
    )


@pytest.fixture(scope="module")
def closed_report(closed_world) -> report.Report:
    return made(closed_world)


@pytest.mark.parametrize("name", ["closed_world", "open_world"])
def test_no_digit_outside_the_ledger(name: str, request: pytest.FixtureRequest) -> None:
    assert stray_digits(made(request.getfixturevalue(name), draft=True).page) == []


@pytest.mark.parametrize(
    ("place", "planted", "found"),
    [
        ("What the columns mean</h2>", "What the 7 columns mean</h2>", "What the 7 columns mean"),
        ("<title>VERDICT report", "<title>VERDICT report 2", "VERDICT report 2"),
        ('aria-label="close"', 'aria-label="close 1"', "close 1"),
        ('<th scope="row" title="', '<th scope="row" title="at 0.5, ', "at 0.5, first candidate"),
        ("</svg>", "<text>mean 0.79</text></svg>", "mean 0.79"),
        ("</main>", "<p><code>x</code> is 3</p></main>", "is 3"),
    ],
)
def test_a_planted_digit_is_found(closed_report, place: str, planted: str, found: str) -> None:
    stray = stray_digits(closed_report.page.replace(place, planted, 1))
    assert len(stray) == 1
    assert stray[0].startswith(found)


@pytest.mark.parametrize("text", ["<code>0.5</code>", "<time>2026</time>", '<data value="1">1</data>'])
def test_digits_may_stand_where_they_are_meant(text: str) -> None:
    assert stray_digits(f"<p>{text} &amp;</p>") == []


def test_page_is_whole_by_itself(closed_report) -> None:
    reader = Reader(closed_report.page)
    assert reader.open == []
    assert reader.loads == []
    assert "url(" not in closed_report.page.replace("url(#", "")
    links = re.findall(r"https?://[^\s\"'<]+", closed_report.page)
    assert set(links) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}, (
        "names, never fetched"
    )
    assert len(reader.ids) == len(set(reader.ids))
    anchors = {href for href in reader.hrefs if href.startswith("#")}
    assert {anchor[1:] for anchor in anchors} <= set(reader.ids)
    assert anchors == set(reader.hrefs)


def test_every_shown_number_is_a_row_of_the_csv(closed_report) -> None:
    rows = {line.split(",")[0] for line in closed_report.numbers.splitlines()[1:]}
    shown = {number for number in Reader(closed_report.page).ids if number.count("/") == 2}
    assert len(shown) > 200
    assert shown <= rows


def test_labels_are_honest(closed_world, closed_report, open_world) -> None:
    page = re.sub(r"\s+", " ", closed_report.page)
    assert "They are no evidence for or against the papers’ numbers" in page
    assert "not corrected for the number of comparisons" in page
    assert "Draft." not in page
    assert not closed_report.draft
    draft = made(closed_world, draft=True)
    assert draft.draft
    assert "Draft." in draft.page
    assert "bounds only" in made(open_world).page


def test_no_study_yet_is_said(closed_world) -> None:
    frames = (closed_world.comparison(), closed_world.diagnostics(), manifest(closed_world, draft=False))
    empty = report.build(
        *(frame.head(0) for frame in frames), studies=closed_world.studies, params=closed_world.params
    )
    assert "No study has numbers yet" in empty.page


def test_same_tables_same_bytes_and_files_are_replaced_as_a_whole(
    closed_world, closed_report, tmp_path
) -> None:
    again = made(closed_world)
    assert (again.page, again.numbers) == (closed_report.page, closed_report.numbers)
    written = report.write(closed_report, tmp_path / "reports")
    assert written["index.html"].read_text("utf-8") == closed_report.page
    assert sorted(path.name for path in (tmp_path / "reports").iterdir()) == ["index.html", "numbers.csv"]


PLOT = """
from verdict_assets.reporting.ledger.entry import Entry, Kind
from verdict_assets.reporting.plots import accuracy
entry = Entry("a/b/c", Kind.SHARE, 0.5, "x", lower=0.4, upper=0.6)
print(accuracy.draw([accuracy.Dot("A", entry), accuracy.Dot("B", entry, strong=True)], "T", (0.3, 0.7)))
"""


def test_a_plot_is_the_same_in_another_process(tmp_path) -> None:
    mine = tmp_path / "matplotlibrc"
    mine.write_text("lines.linewidth: 9\nfont.size: 30\nsvg.fonttype: path\n")
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PLOT],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **settings},
        ).stdout
        for settings in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "MATPLOTLIBRC": str(mine)})
    }
    assert len(outputs) == 1
    assert "<svg" in outputs.pop()


def test_plots_show_bounds_where_there_is_no_value() -> None:
    def entry(column: str, value: float | None) -> Entry:
        return Entry(f"a/b/{column}", Kind.SHARE, value, "x")

    dot = accuracy.Dot("A", entry("accuracy", None), (entry("low", 0.23), entry("high", 0.61)), strong=True)
    assert accuracy.limits([dot]) == (0.2, 0.7)
    assert accuracy.limits([]) == (0.0, 1.0)
    svg = accuracy.draw([dot], "Accuracy on b", accuracy.limits([dot]))
    assert "<title>Accuracy on b</title>" in svg
    assert "var(--accent)" in themed(svg)
    assert "#0b6e6e" not in themed(svg)


def test_score_plot_has_a_row_a_judge() -> None:
    bars = {judge: [(0.5, Entry("a/b/c", Kind.SHARE, 0.25, "x"))] for judge in ("visual", "logical")}
    svg = scores.draw(bars, "Scores")
    assert ">visual<" in svg
    assert ">logical<" in svg
