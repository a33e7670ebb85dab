"""Training examples: traces to write and steps to judge.

Belongs here: what the model is shown and what it must answer, as text. Token ids and tensors are in
``batches``. Everything is a function of the random generator that is passed in.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from verdict_assets.scenes.corruptions import TRAINED, Place, regap
from verdict_assets.scenes.language import Answer, Conclusion, Fact, Plan, Step, plan_core, write
from verdict_assets.scenes.oracle import conclusions, letter_of, needed_facts, scene_facts, stated
from verdict_assets.scenes.questions import KINDS, LETTERS, SceneQuestion
from verdict_assets.scenes.rubrics import RUBRICS, grade
from verdict_assets.scenes.world import DEPTHS, Scene

ALL_KINDS = tuple(kind for kinds in KINDS.values() for kind in kinds)
_RUBRIC_WEIGHTS = (5, 3, 2)
_RIGHT_SHARE = 0.4
_LATE_SHARE = 0.35
"""Share of candidates at conclusion or answer, which reasoning needs most and a trace has least of."""


@dataclass(frozen=True, slots=True)
class Line:
    """One step of a trace: what it means, how it is worded, and whether it is a planted error."""

    step: Step
    text: str
    planted: bool


Grades = tuple[float, float]
"""Visual and logical grade of a step."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of text; shown but not learnt unless ``learnt``; graded when it is a judgeable step."""

    text: str
    learnt: bool = False
    grades: Grades | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A step put before a judge after the first ``after`` lines of a trace, and the score it deserves."""

    after: int
    text: str
    score: str
    grades: Grades


@dataclass(frozen=True, slots=True)
class Sample:
    """One row: a prompt and what follows it.

    A trace to write has its lines as the ``reply``. A judge's row has the trace in the prompt, and candidates
    at several places of it; ``between`` and ``cue`` are the prompt's text around a candidate.
    """

    prompt: str
    lines: tuple[Piece, ...]
    candidates: tuple[Candidate, ...] = ()
    between: str = ""
    cue: str = ""


@cache
def prompt(name: str) -> str:
    """A prompt file of the scenes world."""
    return (files("verdict_assets.inference.prompts") / "scenes" / f"{name}.txt").read_text().rstrip("\n")


def fill(template: str, question: SceneQuestion, **slots: str) -> str:
    """A prompt with the question's text, its lettered options and other slots filled in."""
    options = "\n".join(
        f"({letter}) {option}" for letter, option in zip(LETTERS, question.options, strict=True)
    )
    text = template.replace("{question}", question.text).replace("{options}", options)
    for slot, value in slots.items():
        text = text.replace("{" + slot + "}", value)
    return text


def make_trace(rng: random.Random, scene: Scene, question: SceneQuestion, noise: float) -> list[Line]:
    """A full trace; each fact is, with probability ``noise``, a planted error that the rest builds on."""
    lines = [_line(rng, Plan(plan_core(question)))]
    truth = scene_facts(scene, question)
    for key in needed_facts(question):
        fact, planted = truth[key], rng.random() < noise
        if planted:
            fact = _perturbed(rng, fact)
        texts = [line.text for line in lines]
        lines.append(_line(rng, regap(Place(scene, question, texts), fact), planted))
    facts = stated(line.text for line in lines)[0]
    licensed = conclusions(question, facts) or conclusions(question, truth)
    conclusion = rng.choice(licensed)
    lines.append(_line(rng, conclusion))
    lines.append(_line(rng, Answer(letter_of(question, conclusion) or _nearest(question, conclusion))))
    return lines


def _line(rng: random.Random, step: Step, planted: bool = False) -> Line:
    return Line(step, write(step, rng), planted)


def _perturbed(rng: random.Random, fact: Fact) -> Fact:
    low, high = (0, 3) if fact.shape else (1, DEPTHS if fact.attribute == "depth" else 6)
    if rng.random() < 0.5:
        return replace(fact, value=rng.randint(low, high))
    return replace(fact, value=min(high, max(low, fact.value + rng.choice((-1, 1)))))


def _nearest(question: SceneQuestion, conclusion: Conclusion) -> str:
    """The option closest to a total that no option names."""
    gaps = [abs(int(option) - (conclusion.value or 0)) for option in question.options]
    return LETTERS[gaps.index(min(gaps))]


def base_sample(
    rng: random.Random, scene: Scene, question: SceneQuestion, noise: float, facts: bool
) -> Sample:
    """A trace to write; without ``facts`` only conclusion and answer are learnt."""
    lines = make_trace(rng, scene, question, noise)
    texts = [line.text for line in lines]
    pieces = []
    for i, line in enumerate(lines):
        end = "" if i == len(lines) - 1 else "\n"
        learnt = not line.planted and (facts or not isinstance(line.step, Fact))
        graded = _grades(scene, question, texts[:i], line.text) if i else None
        pieces.append(Piece(line.text + end, learnt, graded))
    return Sample(fill(prompt("base"), question), tuple(pieces))


def _grades(scene: Scene, question: SceneQuestion, prefix: Sequence[str], text: str) -> Grades:
    return grade("visual", scene, question, prefix, text), grade("logical", scene, question, prefix, text)


def corrupted(rng: random.Random, place: Place, step: Step) -> Step:
    """``step`` made wrong by a random applicable kind; shifts, the commonest error, come most often."""
    kinds = list(TRAINED)
    weights = [4 if kind == "shift" else 1 for kind in kinds]
    while True:
        found = TRAINED[rng.choices(kinds, weights)[0]](rng, place, step)
        if found is not None:
            return found


def judge_sample(
    rng: random.Random,
    scene: Scene,
    question: SceneQuestion,
    noise: float,
    candidates: int,
    rubrics: Sequence[str] = RUBRICS,
) -> Sample:
    """Steps to score by one rubric along a trace with planted errors that is presented as correct."""
    weights = [_RUBRIC_WEIGHTS[RUBRICS.index(rubric)] for rubric in rubrics]
    rubric = rng.choices(list(rubrics), weights)[0]
    lines = make_trace(rng, scene, question, noise)
    texts = [line.text for line in lines]
    late = (len(lines) - 2, len(lines) - 1)
    found = []
    for _ in range(candidates):
        at = rng.choice(late) if rng.random() < _LATE_SHARE else rng.randrange(1, len(lines))
        step = lines[at].step
        if rng.random() > _RIGHT_SHARE:
            step = corrupted(rng, Place(scene, question, texts[:at]), step)
        text = write(step, rng)
        score = f"{grade(rubric, scene, question, texts[:at], text):.1f}"
        found.append(Candidate(at, text, score, _grades(scene, question, texts[:at], text)))
    before, _, cue = prompt(rubric).partition("{candidate}")
    head, _, between = before.partition("{trace}")
    shown = tuple(Piece(f"{text}\n") for text in texts[:-1])
    return Sample(fill(head, question), shown, tuple(found), between, cue)
