"""Replay of every declared strategy of every study: the walk that selections and outcomes are read from.

Belongs here: which (strategy, score set) pairs walk which tree. Does not belong here: the walk itself
(`verification.replay`) and the tables made from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from verdict_assets.analysis.trees import Recorded, asked, grow
from verdict_assets.config.params import Params
from verdict_assets.config.studies import StudySpec
from verdict_assets.verification.catalogue import named_strategies
from verdict_assets.verification.replay import Replay, replay
from verdict_assets.verification.strategy import Strategy
from verdict_assets.verification.tree import Tree


@dataclass(frozen=True, slots=True)
class StudyReplay:
    """The walk of one study on one benchmark."""

    study: str
    benchmark: str
    tree: Tree
    replay: Replay


def replays(
    recorded: Recorded, questions: pd.DataFrame, studies: Mapping[str, StudySpec], params: Params
) -> Iterator[StudyReplay]:
    """Walk every declared point of every study, by study name, then in the study's order of benchmarks.

    Raises ValueError for a strategy name that the catalogue does not know, or a judge without stubbornness.
    """
    for name in sorted(studies):
        study = studies[name]
        walkers = walkers_of(study, params)
        judges = [judge.name for judge in study.judges]
        for benchmark, limit in study.benchmarks.items():
            rows = recorded.of(name, benchmark)
            tree = grow(rows, asked(questions, benchmark, limit), judges, params.candidates)
            yield StudyReplay(name, benchmark, tree, replay(walkers, tree))


def walkers_of(study: StudySpec, params: Params) -> list[tuple[Strategy, str]]:
    """Every promised (strategy, score set) of a study, in the order of its file."""
    known = strategies_of(study, params)
    unknown = sorted({strategy for strategy, _ in study.points} - known.keys())
    if unknown:
        names = ", ".join(sorted(known))
        raise ValueError(f"study {study.name} names unknown strategies: {', '.join(unknown)}; known: {names}")
    return [(known[strategy], score_set) for strategy, score_set in study.points]


def strategies_of(study: StudySpec, params: Params) -> dict[str, Strategy]:
    """The catalogue with stubbornness in the order in which the study lists its judges."""
    stubbornness = params.consensus.stubbornness
    unknown = [judge.name for judge in study.judges if judge.name not in stubbornness]
    if unknown:
        raise ValueError(
            f"judges of study {study.name} without stubbornness in params.yaml: {', '.join(unknown)}"
        )
    parameters = params.mapping()
    parameters["consensus"] = {
        "stubbornness": {judge.name: stubbornness[judge.name] for judge in study.judges},
        "tau": params.consensus.tau,
        "epsilon": params.consensus.epsilon,
    }
    return named_strategies(parameters)
