"""What stands on the page, in words and ids: studies, benchmarks, rows of strategies, groups of diagnostics.

Belongs here: selecting and ordering ledger entries. Does not belong here: values, HTML, CSS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from verdict_assets.config.studies import StudySpec
from verdict_assets.reporting import labels
from verdict_assets.reporting.ledger.book import Ledger
from verdict_assets.reporting.ledger.definitions import COMPARISON, Definition, diagnostic
from verdict_assets.reporting.ledger.entry import Entry
from verdict_assets.reporting.plots import accuracy, scores
from verdict_assets.reporting.plots.canvas import themed

CONFIDENCE = "parameters/statistics/confidence"
_PROBE_GROUPS = {
    "right": "right steps",
    "trained": "errors as in training",
    "held_out": "errors unlike any in training",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy with one score set; `cells` gives for each benchmark the beginning of its ids."""

    label: labels.Label
    slug: str
    score_set: str
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic; `ids` by benchmark."""

    definition: Definition
    ids: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Probed:
    """One kind of steps of the judge probe, or a group of kinds; `ids` by quantity and judge."""

    label: str
    group: bool
    ids: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Study:
    """One section of the page; `probes` by benchmark, without rows where the judges were not probed."""

    slug: str
    title: str
    benchmarks: tuple[str, ...]
    several_sets: bool
    rows: tuple[Row, ...]
    findings: Mapping[str, tuple[Finding, ...]]
    rules: tuple[Finding, ...]
    judges: tuple[str, ...]
    probes: Mapping[str, tuple[Probed, ...]]
    dots: Mapping[str, str]
    histograms: Mapping[str, str]
    draft: bool

    @property
    def families(self) -> list[tuple[str, list[Row]]]:
        """The rows in groups, both in the order of the tables."""
        groups = groupby(self.rows, key=lambda row: row.label.family)
        return [(str(family), list(rows)) for family, rows in groups]

    def row(self, slug: str) -> Row | None:
        """The first row of a strategy, if the study has it."""
        return next((row for row in self.rows if row.slug == slug), None)


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the template needs besides the numbers."""

    studies: tuple[Study, ...]
    strategies: tuple[labels.Label, ...]
    columns: Mapping[str, Definition]
    scenes: bool

    @property
    def draft(self) -> bool:
        """Whether any study rests on responses that are not frozen."""
        return any(study.draft for study in self.studies)


def build(ledger: Ledger, studies: Mapping[str, StudySpec]) -> Page:
    """The page of every study that has numbers, `main` first."""
    views = tuple(_study(ledger, spec) for spec in shown_studies(ledger, studies))
    shown = sorted({row.slug for view in views for row in view.rows}, key=labels.position)
    return Page(
        studies=views,
        strategies=tuple(labels.strategy(slug) for slug in shown),
        columns=COMPARISON,
        scenes=any(benchmark.startswith("scenes") for view in views for benchmark in view.benchmarks),
    )


def shown_studies(ledger: Ledger, studies: Mapping[str, StudySpec]) -> list[StudySpec]:
    """The studies that have numbers, in the order of the page."""
    order = sorted(studies, key=lambda name: (name != "main", name))
    return [studies[name] for name in order if _cells(ledger, name)]


def dots(ledger: Ledger, spec: StudySpec) -> dict[str, list[accuracy.Dot]]:
    """What the plot of accuracies shows of a study, by benchmark."""
    rows = _strategies(ledger, spec)
    return {benchmark: _dots(ledger, rows, benchmark) for benchmark in _benchmarks(ledger, spec)}


def axis_of(dots: Mapping[str, list[accuracy.Dot]]) -> tuple[float, float]:
    """One axis for the plots of all benchmarks of a study."""
    return accuracy.limits([dot for of_benchmark in dots.values() for dot in of_benchmark])


def _cells(ledger: Ledger, study: str) -> list[tuple[str, str, str]]:
    """(benchmark, strategy, score set) of a study, as the ledger has them."""
    found = {
        (entry.benchmark, entry.strategy, entry.score_set)
        for entry in ledger
        if entry.table == "main_comparison" and entry.study == study
    }
    return sorted((b, s, j) for b, s, j in found if b is not None and s is not None and j is not None)


def _benchmarks(ledger: Ledger, spec: StudySpec) -> tuple[str, ...]:
    there = {cell[0] for cell in _cells(ledger, spec.name)}
    return tuple(name for name in spec.benchmarks if name in there)


def _strategies(ledger: Ledger, spec: StudySpec) -> tuple[Row, ...]:
    cells = _cells(ledger, spec.name)
    pairs = sorted({(s, j) for _, s, j in cells}, key=lambda pair: (labels.position(pair[0]), pair))
    return tuple(
        Row(
            labels.strategy(slug),
            slug,
            score_set,
            {
                b: f"main_comparison/{spec.name}.{b}.{slug}.{score_set}"
                for b in _benchmarks(ledger, spec)
                if (b, slug, score_set) in cells
            },
        )
        for slug, score_set in pairs
    )


def _study(ledger: Ledger, spec: StudySpec) -> Study:
    benchmarks, rows = _benchmarks(ledger, spec), _strategies(ledger, spec)
    plotted = dots(ledger, spec)
    axis = axis_of(plotted)
    histograms = {b: _bars(ledger, spec, b) for b in benchmarks}
    return Study(
        slug=spec.name,
        title=spec.title,
        benchmarks=benchmarks,
        several_sets=len({row.score_set for row in rows}) > 1,
        rows=rows,
        findings=_findings(ledger, spec, benchmarks),
        rules=_rules(ledger, spec.name, benchmarks),
        judges=("mean", *(judge.name for judge in spec.judges)),
        probes={b: _probed(ledger, spec, b) for b in benchmarks},
        dots={
            b: themed(accuracy.draw(plotted[b], f"Accuracy on {b}, study {spec.name}", axis))
            for b in benchmarks
        },
        histograms={
            b: themed(scores.draw(bars, f"Scores on {b}, study {spec.name}"))
            for b, bars in histograms.items()
            if bars
        },
        draft=any(entry.draft for entry in ledger if entry.study == spec.name),
    )


def _dots(ledger: Ledger, rows: Iterable[Row], benchmark: str) -> list[accuracy.Dot]:
    found = []
    for row in rows:
        cell = row.cells.get(benchmark)
        if cell is None:
            continue
        low, high = ledger.get(f"{cell}/bound_lower"), ledger.get(f"{cell}/bound_upper")
        found.append(
            accuracy.Dot(
                row.label.name,
                ledger[f"{cell}/accuracy"],
                None if low is None or high is None else (low, high),
                strong=row.slug == "verdict",
                reference=row.slug == "base",
            )
        )
    return found


def _bars(ledger: Ledger, spec: StudySpec, benchmark: str) -> dict[str, list[tuple[float, Entry]]]:
    """Per judge its scores and how often it gave them; empty while the world is unfinished."""
    found: dict[str, list[tuple[float, Entry]]] = {}
    for judge in spec.judges:
        head = f"world_diagnostics/{spec.name}.{benchmark}/score_{judge.name}_"
        bars = [(float(entry.id.removeprefix(head)), entry) for entry in ledger if entry.id.startswith(head)]
        if bars and all(entry.value is not None for _, entry in bars):
            found[judge.name] = sorted(bars, key=lambda bar: bar[0])
    return found


def _groups(judges: Iterable[str]) -> dict[str, list[str]]:
    names = list(judges)
    pairs = [(one, two) for at, one in enumerate(names) for two in names[at + 1 :]]
    return {
        "Is there something to choose?": [
            "base_accuracy",
            "truth_choice_accuracy",
            "truth_choice_finished",
            "truth_choice_if_unfinished_wrong",
            "truth_choice_if_unfinished_right",
            "any_leaf_right",
            "distinct_candidates",
            "step_true_of_scene",
            "step_follows",
            "step_sound",
        ],
        "Can the judges see it?": [
            "auc_mean_sound",
            "auc_mean_true_of_scene",
            "auc_mean_follows",
            *(f"auc_{judge}_sound" for judge in names),
            "auc_visual_true_of_scene",
            "auc_logical_follows",
            "auc_contextual_relevant",
        ],
        "Do they differ?": [
            "unanimous",
            "score_values",
            *(f"score_values_{judge}" for judge in names),
            *(f"correlation_{one}_{two}" for one, two in pairs),
        ],
        "What did it take?": ["paths_finished", "closure_factor", "step_unreadable"],
    }


def _findings(ledger: Ledger, spec: StudySpec, benchmarks: Iterable[str]) -> dict[str, tuple[Finding, ...]]:
    groups = _groups(judge.name for judge in spec.judges)
    found = {
        group: tuple(
            finding
            for metric in metrics
            if (finding := _finding(ledger, spec.name, benchmarks, metric)) is not None
        )
        for group, metrics in groups.items()
    }
    return {group: findings for group, findings in found.items() if findings}


def _finding(ledger: Ledger, study: str, benchmarks: Iterable[str], metric: str) -> Finding | None:
    ids = {b: f"world_diagnostics/{study}.{b}/{metric}" for b in benchmarks}
    ids = {b: number for b, number in ids.items() if number in ledger}
    return Finding(diagnostic(metric), ids) if ids else None


def _rules(ledger: Ledger, study: str, benchmarks: Iterable[str]) -> tuple[Finding, ...]:
    """The written rules for odd steps, in the order of the specification, with their counts."""
    heads = ("candidates_", "leaves_", "score_missing_")
    metrics = {
        entry.column for entry in ledger if entry.table == "world_diagnostics" and entry.study == study
    }
    found = [
        finding
        for metric in sorted(metrics)
        if metric.startswith(heads) and (finding := _finding(ledger, study, benchmarks, metric)) is not None
    ]
    return tuple(
        sorted(found, key=lambda finding: (int(finding.definition.rule or "99"), finding.definition.label))
    )


def _probed(ledger: Ledger, spec: StudySpec, benchmark: str) -> tuple[Probed, ...]:
    """Right steps, then each group of errors with its kinds."""
    head = f"world_diagnostics/{spec.name}.{benchmark}/probe"
    start = f"{head}_score_mean_"
    names = [entry.id.removeprefix(start) for entry in ledger if entry.id.startswith(start)]
    judges = ("mean", *(judge.name for judge in spec.judges))
    found = []
    order = list(_PROBE_GROUPS)
    for name in sorted(names, key=lambda name: (order.index(name.split(".")[0]), name)):
        group, _, kind = name.partition(".")
        ids = {
            (what, judge): f"{head}_{what}_{judge}_{name}" for what in ("auc", "score") for judge in judges
        }
        label = kind.replace("_", " ") or _PROBE_GROUPS[group]
        found.append(
            Probed(label, not kind, {key: number for key, number in ids.items() if number in ledger})
        )
    return tuple(found)
