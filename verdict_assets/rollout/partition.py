"""One study on one benchmark, with everything resolved that growing its trees needs.

Here: bringing together study, parameters, models, prompts, questions and strategies. Not here: the store,
the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.benchmarks.load import Question, load_questions
from verdict_assets.config.params import Params, load_params
from verdict_assets.config.paths import Project
from verdict_assets.config.studies import StudySpec, load_studies, study_named
from verdict_assets.errors import UserError
from verdict_assets.inference.prompts import load_prompt
from verdict_assets.inference.weights import WeightsIdentity, identify
from verdict_assets.rollout.asking import Asking, asking
from verdict_assets.rollout.forest import Points
from verdict_assets.rollout.grown import QuestionTree
from verdict_assets.rollout.steps import Rules
from verdict_assets.verification.catalogue import named_strategies
from verdict_assets.verification.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Partition:
    """One study on one benchmark. `twins[i]`: how many questions before the i-th are exactly the same."""

    study: StudySpec
    benchmark: str
    questions: tuple[Question, ...]
    twins: tuple[int, ...]
    asking: Asking
    rules: Rules
    points: Points

    def tree(self, position: int) -> QuestionTree:
        """An empty tree for the question at `position`."""
        question, twin = self.questions[position], self.twins[position]
        return QuestionTree(question, self.asking, self.rules, self.points.candidates, twin)


def open_partition(root: Path, study: str, benchmark: str, limit: int | None = None) -> Partition:
    """Resolve a partition from the files of the project at `root`.

    limit: only the first questions, at most as many as the study asks for. Raises `UserError` for names
    that do not exist and for files that are missing.
    """
    params = load_params(root)
    spec = study_named(load_studies(root), study)
    if benchmark not in spec.benchmarks:
        raise UserError(
            f"study {study!r} does not ask benchmark {benchmark!r}",
            where=f"studies/{study}.yaml",
            remedy=f"use one of: {', '.join(spec.benchmarks)}",
        )
    asked = [count for count in (spec.benchmarks[benchmark], limit) if count is not None]
    questions = load_questions(root, benchmark, min(asked) if asked else None)
    if asked and len(questions) < min(asked):
        raise UserError(
            f"{min(asked)} questions are asked, but benchmark {benchmark!r} has {len(questions)}",
            where=f"studies/{study}.yaml: benchmarks.{benchmark}",
            remedy="ask for fewer, or restore the benchmark's file",
        )
    names = {spec.base.model, *(judge.model for judge in spec.judges)}
    models = {name: identify(Project(root).weights / name) for name in sorted(names)}
    return make_partition(params, spec, benchmark, tuple(questions), models)


def make_partition(
    params: Params,
    study: StudySpec,
    benchmark: str,
    questions: tuple[Question, ...],
    models: Mapping[str, WeightsIdentity],
) -> Partition:
    """The partition of values already read. Raises `UserError` for an unknown strategy or judge."""
    asks = asking(study, models, {name: load_prompt(name) for name in study.prompts})
    strategies = study_strategies(params, study)
    return Partition(
        study=study,
        benchmark=benchmark,
        questions=questions,
        twins=_twins(asks, questions),
        asking=asks,
        rules=Rules(params.max_blank, params.repeat_limit, params.max_steps),
        points=Points(
            walkers=tuple((strategies[strategy], score_set) for strategy, score_set in study.points),
            score_sets={score_set.name: score_set for score_set in study.score_sets},
            candidates=params.candidates,
            judges=len(study.judges),
        ),
    )


def study_strategies(params: Params, study: StudySpec) -> dict[str, Strategy]:
    """The strategies that a study names, with its judges in their order, by name.

    Raises `UserError` for a judge without a stubbornness and for a strategy that does not exist.
    """
    stubbornness = params.consensus.stubbornness
    strangers = [judge.name for judge in study.judges if judge.name not in stubbornness]
    if strangers:
        raise UserError(
            f"no stubbornness is given for judge {', '.join(strangers)}",
            where="params.yaml: consensus.stubbornness",
            remedy=f"add it there, or let the study's judges be called {', '.join(stubbornness)}",
        )
    known = named_strategies(params.mapping(), [judge.name for judge in study.judges])
    unknown = [name for name in study.strategies if name not in known]
    if unknown:
        raise UserError(
            f"there is no strategy {', '.join(unknown)}",
            where=f"studies/{study.name}.yaml: strategies",
            remedy=f"use some of: {', '.join(known)}",
        )
    return {name: known[name] for name in study.strategies}


def _twins(asks: Asking, questions: tuple[Question, ...]) -> tuple[int, ...]:
    seen: dict[str, int] = {}
    twins = []
    for question in questions:
        key = asks.root(question).key
        twins.append(seen.get(key, 0))
        seen[key] = twins[-1] + 1
    return tuple(twins)
