"""Whole traces of right steps, with planted errors where they are asked for.

Belongs here: the steps of a trace and their wording. Everything is a function of the random generator that
is passed in. What a model is shown of a trace is in ``train`` and ``probe``.
"""

import random
from dataclasses import dataclass, replace

from verdict_assets.scenes.corruptions import Place, regap
from verdict_assets.scenes.language import Answer, Conclusion, Fact, Plan, Step, plan_core, write
from verdict_assets.scenes.oracle import conclusions, letter_of, needed_facts, scene_facts, stated
from verdict_assets.scenes.questions import LETTERS, SceneQuestion
from verdict_assets.scenes.world import DEPTHS, Scene


@dataclass(frozen=True, slots=True)
class Line:
    """One step of a trace: what it means, how it is worded, and whether it is a planted error."""

    step: Step
    text: str
    planted: bool


def make_trace(rng: random.Random, scene: Scene, question: SceneQuestion, noise: float) -> list[Line]:
    """A full trace; each fact is, with probability ``noise``, a planted error that the rest builds on."""
    lines = [_line(rng, question, Plan(plan_core(question)))]
    truth = scene_facts(scene, question)
    for key in needed_facts(question):
        fact, planted = truth[key], rng.random() < noise
        if planted:
            fact = _perturbed(rng, fact)
        texts = [line.text for line in lines]
        lines.append(_line(rng, question, regap(Place(scene, question, texts), fact), planted))
    facts = stated(line.text for line in lines)[0]
    licensed = conclusions(question, facts) or conclusions(question, truth)
    conclusion = rng.choice(licensed)
    lines.append(_line(rng, question, conclusion))
    lines.append(
        _line(rng, question, Answer(letter_of(question, conclusion) or _nearest(question, conclusion)))
    )
    return lines


def _line(rng: random.Random, question: SceneQuestion, step: Step, planted: bool = False) -> Line:
    return Line(step, write(step, question, rng), planted)


def _perturbed(rng: random.Random, fact: Fact) -> Fact:
    low, high = (0, 3) if fact.shape else (1, DEPTHS if fact.attribute == "depth" else 6)
    if rng.random() < 0.5:
        return replace(fact, value=rng.randint(low, high))
    return replace(fact, value=min(high, max(low, fact.value + rng.choice((-1, 1)))))


def _nearest(question: SceneQuestion, conclusion: Conclusion) -> str:
    """The option closest to a total that no option names."""
    gaps = [abs(int(option) - (conclusion.value or 0)) for option in question.options]
    return LETTERS[gaps.index(min(gaps))]
