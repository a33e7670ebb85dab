"""Graded scores: what a perfect judge of each rubric would give a step.

Belongs here: the grades that judges are trained towards, a deterministic function of scene, question, earlier
steps and candidate. Values lie on a 0.1 grid. Yes-or-no truth is in ``oracle``.
"""

from collections.abc import Sequence

from verdict_assets.scenes.language import Answer, Conclusion, Plan, Step, plan_core, read
from verdict_assets.scenes.oracle import (
    conclusions,
    gap_consistent,
    label_step,
    letter_of,
    needed_facts,
    scene_facts,
    stated,
    true_fact,
)
from verdict_assets.scenes.questions import SceneQuestion
from verdict_assets.scenes.world import Scene

RUBRICS = ("visual", "logical", "contextual")
_VISUAL_BY_ERROR = (1.0, 0.7, 0.4, 0.2)
_WORST_SEEN = 0.1


def grade(rubric: str, scene: Scene, question: SceneQuestion, prefix: Sequence[str], text: str) -> float:
    """The score in [0, 1] that ``rubric`` gives the readable step ``text`` after ``prefix``.

    Raises ValueError for an unknown rubric or a step that is not a sentence of the world.
    """
    step = read(text)
    if step is None:
        raise ValueError(f"not a sentence of the scenes world: {text!r}")
    if rubric == "visual":
        return _visual(scene, question, step)
    if rubric == "logical":
        return _logical(scene, question, prefix, text, step)
    if rubric == "contextual":
        return _contextual(question, step)
    raise ValueError(f"unknown rubric {rubric!r}; known: {', '.join(RUBRICS)}")


def _visual(scene: Scene, question: SceneQuestion, step: Step) -> float:
    """How near the step is to what the picture shows."""
    if isinstance(step, Plan):
        return 1.0
    if isinstance(step, Answer):
        return 1.0 if step.letter == question.gold else 0.1
    if isinstance(step, Conclusion):
        return _visual_conclusion(scene, question, step)
    if step.shape:
        return _by_error(abs(step.value - scene.count(step.shape, step.subject)))
    truth = true_fact(scene, question, (step.attribute, step.subject))
    if truth is None:
        seen = scene.find(step.subject.split()[0]) is not None
        return 0.3 if seen else 0.0
    error = abs(step.value - truth.value)
    if step.gap is not None and truth.gap is not None:
        error = max(error, abs(step.gap - truth.gap))
    return _by_error(error)


def _by_error(error: int) -> float:
    return _VISUAL_BY_ERROR[error] if error < len(_VISUAL_BY_ERROR) else _WORST_SEEN


def _visual_conclusion(scene: Scene, question: SceneQuestion, step: Conclusion) -> float:
    truths = conclusions(question, scene_facts(scene, question))
    if step in truths:
        return 1.0
    if step.kind == "relation" and truths:
        return 0.4 if _shared_words(step, truths[0]) == 1 else 0.1
    if step.kind == "count" and truths and truths[0].value is not None and step.value is not None:
        return _by_error(abs(step.value - truths[0].value))
    return 0.2


def _shared_words(one: Conclusion, other: Conclusion) -> int:
    """How many of the two direction words agree (vertical and horizontal)."""
    first, second = (one.direction or "").split(" and "), (other.direction or "").split(" and ")
    return sum(a == b for a, b in zip(first, second, strict=False))


def _logical(scene: Scene, question: SceneQuestion, prefix: Sequence[str], text: str, step: Step) -> float:
    """How well the step follows from the question and what was stated; the picture does not matter."""
    if label_step(scene, question, prefix, text).follows:
        return 1.0
    facts, conclusion = stated(prefix)
    if isinstance(step, Plan):
        return 0.3
    if isinstance(step, Answer):
        return 0.6 if conclusion is None else 0.1
    if isinstance(step, Conclusion):
        licensed = conclusions(question, facts)
        if not licensed:
            return 0.5
        if step.kind == "relation":
            return 0.4 if _shared_words(step, licensed[0]) == 1 else 0.1
        return max(0.1, round(0.5 - 0.1 * abs((step.value or 0) - (licensed[0].value or 0)), 1))
    key = (step.attribute, step.subject)
    if key in facts:
        return 0.4
    if key not in needed_facts(question):
        return 0.5
    return 0.6 if gap_consistent(question, step, facts) else 0.3  # right but for the letter it is called by


def _contextual(question: SceneQuestion, step: Step) -> float:
    """Whether the step stays on the question; neither picture nor earlier steps matter."""
    if isinstance(step, Plan):
        return 1.0 if step.core == plan_core(question) else 0.2
    if isinstance(step, Answer):
        return 1.0
    if isinstance(step, Conclusion):
        if step.kind != question.kind or step.largest != question.largest:
            return 0.2
        return 1.0 if step.kind == "count" or letter_of(question, step) is not None else 0.3
    if step.shape:
        return 1.0 if step.shape == question.shape else 0.2
    named = step.subject in question.names
    asked = step.attribute in {attribute for attribute, _ in needed_facts(question)}
    return {(True, True): 1.0, (True, False): 0.4, (False, True): 0.3, (False, False): 0.1}[named, asked]
