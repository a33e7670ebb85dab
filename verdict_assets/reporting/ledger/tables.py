"""Which numbers are reported: rows of the published tables turned into ledger entries.

Belongs here: the way from a table's columns to ids, counts and definitions. Does not belong here: statistics
(`analysis`) and pages.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import pandas as pd

from verdict_assets.config.params import Params
from verdict_assets.config.studies import StudySpec
from verdict_assets.reporting.ledger.book import Ledger
from verdict_assets.reporting.ledger.definitions import COMPARISON, diagnostic
from verdict_assets.reporting.ledger.entry import Entry, Kind
from verdict_assets.reporting.record import Record, records

RIVALS = ("base", "verdict")


def build(
    main_comparison: pd.DataFrame,
    world_diagnostics: pd.DataFrame,
    score_manifest: pd.DataFrame,
    *,
    studies: Mapping[str, StudySpec],
    params: Params,
) -> Ledger:
    """Every number of the report. Raises ValueError where two rows would have one id."""
    drafts = draft_cells(score_manifest)
    ledger = Ledger()
    cells = [
        _Cell(row, (row.text("study"), row.text("benchmark")) in drafts) for row in records(main_comparison)
    ]
    for entry in _with_deviations([entry for cell in cells for entry in cell.entries()], studies):
        ledger.write(entry)
    for row in records(world_diagnostics):
        ledger.write(_diagnostic(row, (row.text("study"), row.text("benchmark")) in drafts))
    for row in records(score_manifest):
        for entry in _manifest(row, (row.text("study"), row.text("benchmark")) in drafts):
            ledger.write(entry)
    for entry in (*_parameters(params), *_studies(studies)):
        ledger.write(entry)
    return ledger


def draft_cells(score_manifest: pd.DataFrame) -> set[tuple[str, str]]:
    """The (study, benchmark) pairs of which a row rests on the open layer."""
    open_rows = score_manifest[score_manifest["draft"].astype(bool)]
    pairs = zip(open_rows["study"], open_rows["benchmark"], strict=True)
    return {(str(study), str(benchmark)) for study, benchmark in pairs}


class _Cell:
    """One strategy on one benchmark: makes the entries of its columns."""

    def __init__(self, row: Record, draft: bool) -> None:
        self.row, self.draft = row, draft
        self.asked, self.closed, self.correct = (
            row.count(name) for name in ("questions", "closed", "correct")
        )

    def entry(
        self,
        column: str,
        value: float | None,
        counts: tuple[float, float] | None = None,
        interval: tuple[str, str] | None = None,
    ) -> Entry:
        """The number in one column; `interval` names the columns of its ends."""
        row, definition = self.row, COMPARISON[column]
        cell = [row.text(name) for name in ("study", "benchmark", "strategy", "score_set")]
        return Entry(
            id=f"main_comparison/{'.'.join(cell)}/{column}",
            kind=definition.kind,
            value=value,
            definition=definition.text,
            numerator=counts[0] if counts else None,
            denominator=counts[1] if counts else None,
            n=self.asked,
            lower=row.real(interval[0]) if interval else None,
            upper=row.real(interval[1]) if interval else None,
            missing=row.count("missing_scores"),
            fallback=row.count("fallback_steps"),
            capped=row.count("capped"),
            study=cell[0],
            benchmark=cell[1],
            strategy=cell[2],
            score_set=cell[3],
            draft=self.draft,
        )

    def entries(self) -> Iterator[Entry]:
        """Accuracy and rates; bounds only where the cell is not closed, comparisons only where it is."""
        row = self.row
        yield self.entry("accuracy", row.real("accuracy"), (self.correct, self.asked), ("lower", "upper"))
        yield self.entry("finished", self._share(self.closed, self.asked), (self.closed, self.asked))
        if self.closed < self.asked:
            most = self.correct + self.asked - self.closed
            yield self.entry("bound_lower", row.real("bound_lower"), (self.correct, self.asked))
            yield self.entry("bound_upper", row.real("bound_upper"), (most, self.asked))
        for column, part, whole in (
            ("acceptance", "accepted_candidates", "judged_candidates"),
            ("fallback", "fallback_steps", "judged_steps"),
        ):
            counts = row.count(part), row.count(whole)
            # A rate over paths of which some are unfinished would favour the short ones.
            rate = self._share(*counts) if self.closed == self.asked else None
            yield self.entry(column, rate, counts, (f"{column}_lower", f"{column}_upper"))
        yield self.entry("missing_scores", row.count("missing_scores"))
        yield self.entry("capped", row.count("capped"))
        for slug in RIVALS:
            if row.real(f"difference_{slug}") is not None:
                yield from self._against(slug)

    def _against(self, slug: str) -> Iterator[Entry]:
        row = self.row
        won, lost = row.count(f"wins_{slug}"), row.count(f"losses_{slug}")
        yield self.entry(f"wins_{slug}", won)
        yield self.entry(f"losses_{slug}", lost)
        difference = f"difference_{slug}"
        ends = f"{difference}_lower", f"{difference}_upper"
        yield self.entry(difference, row.real(difference), (won - lost, self.asked), ends)
        yield self.entry(f"p_{slug}", row.real(f"p_{slug}"))
        detectable = f"smallest_detectable_{slug}"
        yield self.entry(detectable, row.real(detectable))

    @staticmethod
    def _share(part: int, whole: int) -> float | None:
        return part / whole if whole else None


def _with_deviations(entries: Iterable[Entry], studies: Mapping[str, StudySpec]) -> Iterator[Entry]:
    """The entries, with the deviation of their value over the judge seeds of one sampled decoding.

    Of a sample (n - 1), in exact arithmetic. None where there is one seed, or a seed without a value.
    """
    decodings = {
        (name, score_set.name): score_set.decoding.name
        for name, study in studies.items()
        for score_set in study.score_sets
        if score_set.draw is not None
    }
    groups: dict[tuple[object, ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        seeds_of = decodings.get((entry.study or "", entry.score_set or ""), entry.score_set)
        groups[entry.study, entry.benchmark, entry.strategy, seeds_of, entry.column].append(entry)
    for group in groups.values():
        values = [entry.value for entry in group if entry.value is not None]
        several = len(values) == len(group) > 1
        deviation = statistics.stdev(values) if several else None
        yield from (replace(entry, deviation=deviation) for entry in group)


def _diagnostic(row: Record, draft: bool) -> Entry:
    study, benchmark, metric = (row.text(name) for name in ("study", "benchmark", "metric"))
    definition = diagnostic(metric)
    return Entry(
        id=f"world_diagnostics/{study}.{benchmark}/{metric}",
        kind=definition.kind,
        value=row.real("value"),
        definition=definition.text,
        numerator=row.real("numerator"),
        denominator=row.real("denominator"),
        lower=row.real("lower"),
        upper=row.real("upper"),
        strategy=metric.removeprefix("chosen_sound_") if metric.startswith("chosen_sound_") else None,
        study=study,
        benchmark=benchmark,
        draft=draft,
    )


def _manifest(row: Record, draft: bool) -> Iterator[Entry]:
    study, benchmark, table = (row.text(name) for name in ("study", "benchmark", "table_name"))

    def entry(where: str, column: str, value: int, text: str) -> Entry:
        return Entry(
            id=f"score_manifest/{where}/{column}",
            kind=Kind.COUNT,
            value=value,
            definition=text,
            study=study,
            benchmark=benchmark,
            draft=draft,
        )

    cell = f"{study}.{benchmark}"
    yield entry(
        f"{cell}.{table}", "rows", row.count("rows"), f"Rows of the table {table}, which models filled."
    )
    if table == "candidates":  # the three partitions of a study and benchmark ask the same questions
        asked, closed = row.count("questions"), row.count("questions_closed")
        yield entry(cell, "questions", asked, "Questions that the study asks of the benchmark.")
        yield entry(cell, "questions_closed", closed, "Questions for which no declared strategy waits.")


def _parameters(params: Params) -> Iterator[Entry]:
    for path, value in sorted(_leaves(params.mapping())):
        row, _, column = path.rpartition(".")
        yield Entry(
            id=f"parameters/{row or 'params'}/{column}",
            kind=Kind.REAL,
            value=value,
            definition=f"`{path}` in params.yaml.",
        )


def _studies(studies: Mapping[str, StudySpec]) -> Iterator[Entry]:
    for name in sorted(studies):
        study = studies[name]
        settings = {
            "temperature": study.generation.temperature,
            "top_p": study.generation.top_p,
            "max_tokens": study.generation.max_tokens,
            "generation_seed": study.generation.seed,
            "judges": len(study.judges),
            "strategies": len(study.strategies),
            "score_sets": len(study.score_sets),
        }
        for column, value in settings.items():
            words = column.replace("_", " ")
            text = f"Setting of the study {name}: {words}."
            yield Entry(f"studies/{name}/{column}", Kind.REAL, value, text, study=name)


def _leaves(mapping: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Dotted path and value of every number in nested mappings; words are left out."""
    for key, value in mapping.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{prefix}{key}", value
