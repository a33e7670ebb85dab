"""Table `world_diagnostics`: what each recorded world is like, one row a quantity.

Belongs here: which rows each diagnostic sees. Does not belong here: the measuring (`diagnostics`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from verdict_assets.analysis.diagnostics import choice, judges, probe, steps
from verdict_assets.analysis.diagnostics.metric import Metric, ratio
from verdict_assets.analysis.diagnostics.rows import World, world
from verdict_assets.config.params import Statistics
from verdict_assets.config.studies import StudySpec
from verdict_assets.schemas.world_diagnostics import TABLE

REFERENCE = "verdict"
"""Candidates are counted on this strategy's own path; a study without it uses its first judging one."""


def build(
    candidates: pd.DataFrame,
    raw_scores: pd.DataFrame,
    answers: pd.DataFrame,
    step_labels: pd.DataFrame,
    selections: pd.DataFrame,
    outcomes: pd.DataFrame,
    judge_probe: pd.DataFrame,
    *,
    studies: Mapping[str, StudySpec],
    statistics: Statistics,
) -> pd.DataFrame:
    """One row per (study, benchmark, metric), in that order; scores of the study's first score set.

    While a declared path is unfinished, what was recorded is no sample of anything: every metric but
    `paths_finished` keeps its counts so far and has no value. The judge probe stands apart: its steps are
    made, not recorded, and it has numbers as soon as all its replies are there.
    """
    rows: list[dict[str, object]] = []
    for name in sorted(studies):
        study = studies[name]
        first = study.score_sets[0].name
        reference = _reference(study)
        for benchmark in sorted(study.benchmarks):
            seen = world(
                _rows(candidates, name, benchmark, first),
                _rows(raw_scores, name, benchmark, first),
                _rows(answers, name, benchmark, first),
                _rows(step_labels, name, benchmark, first),
                _rows(selections, name, benchmark, first),
                _rows(outcomes, name, benchmark, first),
                judges=[judge.name for judge in study.judges],
            )
            found = _measure(seen, reference, statistics.confidence)
            probed = _rows(judge_probe, name, benchmark, first)
            asked = int(seen.outcomes["question_id"].nunique())
            found += probe.measure(probed, seen.judges, asked, statistics.confidence)
            rows += [_row(name, benchmark, metric) for metric in found]
    table = pd.DataFrame(rows, columns=list(TABLE.names))
    return table.sort_values(list(TABLE.key), kind="stable", ignore_index=True)


def _reference(study: StudySpec) -> str:
    judging = [strategy for strategy in study.strategies if strategy != "base"]
    return REFERENCE if REFERENCE in judging else (judging or ["base"])[0]


def _rows(frame: pd.DataFrame, study: str, benchmark: str, score_set: str) -> pd.DataFrame:
    mine = frame[(frame["study"] == study) & (frame["benchmark"] == benchmark)]
    return mine[mine["score_set"] == score_set] if "score_set" in mine.columns else mine


def _measure(seen: World, reference: str, confidence: float) -> list[Metric]:
    finished = ratio("paths_finished", int(seen.outcomes["closed"].sum()), len(seen.outcomes))
    found = [
        *choice.measure(seen, reference, confidence),
        *judges.measure(seen, reference, confidence),
        *steps.measure(seen, reference, confidence),
    ]
    if finished.numerator != finished.denominator:
        found = [replace(metric, value=None, interval=None) for metric in found]
    return [finished, *found]


def _row(study: str, benchmark: str, metric: Metric) -> dict[str, object]:
    return {
        "study": study,
        "benchmark": benchmark,
        "metric": metric.name,
        "value": metric.value,
        "numerator": metric.numerator,
        "denominator": metric.denominator,
        "lower": metric.interval.lower if metric.interval else None,
        "upper": metric.interval.upper if metric.interval else None,
    }
