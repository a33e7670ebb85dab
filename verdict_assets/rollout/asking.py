"""How a study's needs become requests: which model, prompt, decoding and text each call has.

Here: setups of a study and the groups of a question's places. Not here: when something is asked
(`forest.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verdict_assets.benchmarks.load import Question
from verdict_assets.config.studies import DecodingSpec, JudgeSpec, ScoreSet, StudySpec
from verdict_assets.inference.prompts import Prompt
from verdict_assets.inference.request import Group, Request, Setup
from verdict_assets.inference.weights import WeightsIdentity

STEP_END = "\n"


@dataclass(frozen=True, slots=True)
class Asking:
    """Makes every request of one study. Requests of equal content have equal keys, whoever makes them."""

    study: StudySpec
    base_setup: Setup
    base_prompt: Prompt
    judge_setups: Mapping[tuple[str, str], Setup]
    """(judge name, decoding name) -> setup."""
    judge_prompts: Mapping[str, Prompt]

    def root(self, question: Question) -> Group:
        """The place with the empty prefix. Its key is the question's root node."""
        user = self.base_prompt.user(question.question, question.options)
        return Group(self.base_setup, question.image_sha256, user)

    def candidate(self, place: Group, index: int) -> Request:
        """Candidate `index` at a place. Greedy generation has no draw: all candidates are one request."""
        return Request(place, draw=index if self.base_setup.temperature > 0 else None)

    def judged(
        self, question: Question, steps: Sequence[str], judge: JudgeSpec, decoding: DecodingSpec
    ) -> Group:
        """What all candidates after `steps` share for one judge.

        A judge sees the steps without the blank lines that were drawn between them.
        """
        prompt = self.judge_prompts[judge.name]
        trace = "".join(step + STEP_END for step in steps)
        user = prompt.user(question.question, question.options, trace)
        return Group(
            self.judge_setups[judge.name, decoding.name], question.image_sha256, user, cue=prompt.cue
        )

    def score(self, group: Group, text: str, score_set: ScoreSet) -> Request:
        """One judge's reply to the candidate text: equal texts at a node share it."""
        return Request(group, tail=text, draw=score_set.draw)


def asking(study: StudySpec, models: Mapping[str, WeightsIdentity], prompts: Mapping[str, Prompt]) -> Asking:
    """Resolve every field of every setup. `models` and `prompts` hold what the study names."""
    sampling = study.generation
    base = _setup(
        study,
        study.base.model,
        models,
        DecodingSpec("steps", sampling.temperature, sampling.top_p, sampling.max_tokens),
        stop=(STEP_END,),
        generation_seed=sampling.seed,
    )
    judges = {
        (judge.name, decoding.name): _setup(study, judge.model, models, decoding)
        for judge in study.judges
        for decoding in study.judge_decoding
    }
    return Asking(
        study=study,
        base_setup=base,
        base_prompt=prompts[study.base.prompt],
        judge_setups=judges,
        judge_prompts={judge.name: prompts[judge.prompt] for judge in study.judges},
    )


def _setup(
    study: StudySpec,
    model: str,
    models: Mapping[str, WeightsIdentity],
    decoding: DecodingSpec,
    stop: tuple[str, ...] = (),
    generation_seed: int | None = None,
) -> Setup:
    weights = models[model]
    return Setup(
        model=model,
        revision=weights.revision,
        tokenizer=weights.tokenizer,
        template=weights.template,
        dtype=study.dtype,
        image_recipe=study.image_recipe,
        temperature=decoding.temperature,
        top_p=decoding.top_p,
        max_tokens=decoding.max_tokens,
        stop=stop,
        generation_seed=generation_seed,
    )
