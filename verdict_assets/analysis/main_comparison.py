"""Table `main_comparison`: every strategy on every benchmark, with rates and paired differences.

Belongs here: sums over questions and the statistics on them. Does not belong here: single questions
(`outcomes`) and how a number is shown (reporting).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from verdict_assets.analysis.statistics.bootstrap import paired_mean_interval, seed_of
from verdict_assets.analysis.statistics.intervals import clustered_share, wilson
from verdict_assets.analysis.statistics.paired import mcnemar_exact, pair
from verdict_assets.analysis.statistics.power import smallest_detectable
from verdict_assets.config.params import Statistics
from verdict_assets.schemas.main_comparison import TABLE

_CELL = ["study", "benchmark", "strategy", "score_set"]
_SUMS = ("accepted_candidates", "judged_candidates", "fallback_steps", "judged_steps", "missing_scores")
_RATES = {
    "acceptance": ("accepted_candidates", "judged_candidates"),
    "fallback": ("fallback_steps", "judged_steps"),
}
RIVALS = ("base", "verdict")
"""The strategies against which every other one is tested."""

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class _Cell:
    """One strategy, benchmark and score set; `correct[q]` is None where question q is unfinished.

    counts: by column of `outcomes`, its value for every question.
    """

    key: tuple[str, str, str, str]
    questions: tuple[str, ...]
    correct: tuple[bool | None, ...]
    counts: Mapping[str, tuple[int, ...]]
    capped: int

    @property
    def finished(self) -> list[bool]:
        """Whether right, for the finished questions only."""
        return [value for value in self.correct if value is not None]

    @property
    def closed(self) -> bool:
        """Whether every question is finished, so that the cell has a point value."""
        return None not in self.correct


def build(outcomes: pd.DataFrame, statistics: Statistics) -> pd.DataFrame:
    """One row per (study, benchmark, strategy, score set), in that order.

    A cell with an unfinished question has null for accuracy, interval and every comparison: only its bounds
    (all unfinished wrong, all right) are known. Rates count the part of the paths that was walked.
    Comparisons pair the answers to the same questions within a study, benchmark and score set; Base takes
    no scores, so where a score set lacks it, Base of the study's other score set is the same run and is
    used.
    """
    ordered = outcomes.sort_values([*_CELL, "question_id"], kind="stable")
    cells = [_cell(key, rows) for key, rows in ordered.groupby(_CELL, sort=True)]
    by_key = {cell.key: cell for cell in cells}
    return pd.DataFrame([_row(cell, by_key, statistics) for cell in cells], columns=list(TABLE.names))


def _cell(key: Iterable[object], rows: pd.DataFrame) -> _Cell:
    closed = rows["closed"].tolist()
    correct = tuple(
        bool(value) if done else None for value, done in zip(rows["correct"], closed, strict=True)
    )
    study, benchmark, strategy, score_set = (str(part) for part in key)
    return _Cell(
        key=(study, benchmark, strategy, score_set),
        questions=tuple(rows["question_id"]),
        correct=correct,
        counts={name: tuple(int(value) for value in rows[name]) for name in _SUMS},
        capped=int((rows["end"] == "cap").sum()),
    )


def _row(
    cell: _Cell, cells: Mapping[tuple[str, str, str, str], _Cell], statistics: Statistics
) -> dict[str, Value]:
    row: dict[str, Value] = dict(zip(_CELL, cell.key, strict=True))
    asked, correct = len(cell.correct), sum(cell.finished)
    interval = wilson(correct, asked, statistics.confidence) if cell.closed else None
    unfinished = asked - len(cell.finished)
    row |= {
        "questions": asked,
        "closed": len(cell.finished),
        "correct": correct,
        "accuracy": correct / asked if cell.closed else None,
        "lower": interval.lower if interval else None,
        "upper": interval.upper if interval else None,
        "bound_lower": correct / asked,
        "bound_upper": (correct + unfinished) / asked,
        **{name: sum(values) for name, values in cell.counts.items()},
        **_rate_intervals(cell, statistics),
        "capped": cell.capped,
    }
    for slug in RIVALS:
        row |= _against(cell, _rival(cell, slug, cells), slug, statistics)
    return row


def _rate_intervals(cell: _Cell, statistics: Statistics) -> dict[str, Value]:
    """Ends of each rate's interval; null unless closed, since unfinished paths would favour short ones."""
    ends: dict[str, Value] = {}
    for name, (part, whole) in _RATES.items():
        counts = cell.counts[part], cell.counts[whole]
        interval = clustered_share(*counts, statistics.confidence) if cell.closed else None
        ends[f"{name}_lower"] = interval.lower if interval else None
        ends[f"{name}_upper"] = interval.upper if interval else None
    return ends


def _rival(cell: _Cell, slug: str, cells: Mapping[tuple[str, str, str, str], _Cell]) -> _Cell | None:
    study, benchmark, strategy, score_set = cell.key
    if strategy == slug:
        return None
    found = cells.get((study, benchmark, slug, score_set))
    if found is None and slug == "base":
        others = (key for key in sorted(cells) if key[:3] == (study, benchmark, slug))
        found = next((cells[key] for key in others), None)
    return found


def _against(cell: _Cell, rival: _Cell | None, slug: str, statistics: Statistics) -> dict[str, Value]:
    """The paired columns; null for the rival itself and unless both cells are closed alike."""
    names = [
        f"wins_{slug}",
        f"losses_{slug}",
        f"difference_{slug}",
        f"difference_{slug}_lower",
        f"difference_{slug}_upper",
        f"p_{slug}",
        f"smallest_detectable_{slug}",
    ]
    values = _paired(cell, rival, statistics) if rival is not None else [None] * len(names)
    return dict(zip(names, values, strict=True))


def _paired(cell: _Cell, rival: _Cell, statistics: Statistics) -> list[Value]:
    if not (cell.closed and rival.closed and cell.questions == rival.questions):
        return [None] * 7
    mine, theirs = cell.finished, rival.finished
    pairs = pair(mine, theirs)
    interval = paired_mean_interval(
        [int(one) - int(two) for one, two in zip(mine, theirs, strict=True)],
        resamples=statistics.bootstrap_draws,
        confidence=statistics.confidence,
        seed=seed_of(str(statistics.bootstrap_seed), *cell.key, *rival.key),
    )
    detectable = smallest_detectable(
        pairs.questions, pairs.discordant, confidence=statistics.confidence, power=statistics.power
    )
    return [
        pairs.first_only,
        pairs.second_only,
        pairs.net / pairs.questions,
        interval.lower if interval else None,
        interval.upper if interval else None,
        mcnemar_exact(pairs),
        detectable.difference if detectable else None,
    ]
