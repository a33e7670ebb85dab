"""The truth of a step: is it true of the scene, does it follow, does it bear on the question?

Belongs here: exact labels computed from the scene that was drawn. A sentence the reader cannot read is
labelled unreadable and gets no truth value; nothing is guessed. Graded scores are in ``rubrics``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from verdict_assets.scenes.language import (
    Answer,
    Conclusion,
    Fact,
    Plan,
    Step,
    option_letter,
    plan_core,
    read,
)
from verdict_assets.scenes.questions import LETTERS, SceneQuestion, direction
from verdict_assets.scenes.world import Scene

Key = tuple[str, str]
"""(attribute, subject) of a fact."""


@dataclass(frozen=True, slots=True)
class StepLabel:
    """Truth of one step; the three values are None exactly when ``readable`` is False."""

    readable: bool
    true_of_scene: bool | None
    follows: bool | None
    relevant: bool | None
    kind: str


UNREADABLE = StepLabel(False, None, None, None, "unreadable")


def needed_facts(question: SceneQuestion) -> list[Key]:
    """The facts a full trace states, in its order."""
    if question.kind == "relation":
        return [(attribute, name) for name in question.subjects for attribute in ("column", "row")]
    if question.kind == "count":
        return [("number", quarter) for quarter in question.subjects]
    depths = [("depth", name) for name in question.subjects]
    return depths if question.anchor is None else [("depth", question.anchor), *depths]


def true_fact(scene: Scene, question: SceneQuestion, key: Key) -> Fact | None:
    """The fact that ``key`` asks for, as the scene has it; None when no such object is in the scene."""
    attribute, subject = key
    if attribute == "number":
        shape = question.shape or ""
        return Fact(attribute, subject, scene.count(shape, subject), shape=question.shape)
    thing = scene.named(subject)
    if thing is None:
        return None
    value = {"column": thing.column, "row": thing.row, "depth": thing.depth}[attribute]
    gap = None
    if question.anchor is not None and attribute == "depth" and subject != question.anchor:
        anchor = scene.named(question.anchor)
        gap = None if anchor is None else abs(value - anchor.depth)
    return Fact(attribute, subject, value, gap=gap, shape=None)


def stated(steps: Iterable[str]) -> tuple[dict[Key, Fact], Conclusion | None]:
    """The facts and the last conclusion that earlier steps state; a later statement replaces an earlier."""
    facts: dict[Key, Fact] = {}
    conclusion: Conclusion | None = None
    for step in map(read, steps):
        if isinstance(step, Fact):
            facts[(step.attribute, step.subject)] = step
        elif isinstance(step, Conclusion):
            conclusion = step
    return facts, conclusion


def conclusions(question: SceneQuestion, facts: Mapping[Key, Fact]) -> list[Conclusion]:
    """Every conclusion that the stated facts license (several on ties); empty when facts are missing."""
    keys = needed_facts(question)
    if any(key not in facts for key in keys):
        return []
    if question.kind == "relation":
        first, second = question.subjects
        where = direction(
            (facts["column", first].value, facts["row", first].value),
            (facts["column", second].value, facts["row", second].value),
        )
        return [] if where is None else [Conclusion("relation", first, direction=where, reference=second)]
    if question.kind == "count":
        return [Conclusion("count", question.shape or "", value=sum(facts[key].value for key in keys))]
    measured = {
        name: facts["depth", name].gap if question.kind == "distance" else facts["depth", name].value
        for name in question.subjects
    }
    values = {name: value for name, value in measured.items() if value is not None}
    if len(values) < len(measured):
        return []
    best = max(values.values()) if question.largest else min(values.values())
    return [
        Conclusion(question.kind, name, value=best, largest=question.largest)
        for name, value in values.items()
        if value == best
    ]


def letter_of(question: SceneQuestion, conclusion: Conclusion) -> str | None:
    """The option that a conclusion names, if any."""
    named = {"relation": conclusion.direction, "count": str(conclusion.value)}.get(
        conclusion.kind, conclusion.subject
    )
    return LETTERS[question.options.index(named)] if named in question.options else None


def scene_facts(scene: Scene, question: SceneQuestion) -> dict[Key, Fact]:
    """All facts of a full trace as the scene has them."""
    found = ((key, true_fact(scene, question, key)) for key in needed_facts(question))
    return {key: fact for key, fact in found if fact is not None}


def label_step(scene: Scene, question: SceneQuestion, prefix: Sequence[str], text: str) -> StepLabel:
    """The label of the step ``text`` after the steps ``prefix``."""
    step = read(text)
    if step is None:
        return UNREADABLE
    facts, conclusion = stated(prefix)
    return StepLabel(
        True,
        _true(scene, question, step),
        _follows(question, step, facts, conclusion, len(prefix)),
        _relevant(question, step),
        type(step).__name__.lower(),
    )


def _true(scene: Scene, question: SceneQuestion, step: Step) -> bool:
    if isinstance(step, Plan):
        return step.core == plan_core(question)
    if isinstance(step, Answer):
        return step.letter == question.gold
    if isinstance(step, Conclusion):
        return step in conclusions(question, scene_facts(scene, question))
    if step.shape:
        return step.value == scene.count(step.shape, step.subject)
    truth = true_fact(scene, question, (step.attribute, step.subject))
    return truth is not None and step.value == truth.value and step.gap in (None, truth.gap)


def _follows(
    question: SceneQuestion,
    step: Step,
    facts: Mapping[Key, Fact],
    conclusion: Conclusion | None,
    position: int,
) -> bool:
    if isinstance(step, Plan):
        return position == 0 and step.core == plan_core(question)
    if isinstance(step, Conclusion):
        return step in conclusions(question, facts) and _called_rightly(question, step)
    if isinstance(step, Answer):
        return conclusion is not None and letter_of(question, conclusion) == step.letter
    key = (step.attribute, step.subject)
    new = key in needed_facts(question) and key not in facts
    return new and gap_consistent(question, step, facts) and _called_rightly(question, step)


def _called_rightly(question: SceneQuestion, step: Fact | Conclusion) -> bool:
    """Whether the letter, where a step gives one, is that of its subject."""
    return step.letter is None or step.letter == option_letter(step.subject, question)


def gap_consistent(question: SceneQuestion, fact: Fact, facts: Mapping[Key, Fact]) -> bool:
    """Whether the gap a fact states is there when asked for and agrees with the anchor's stated depth."""
    if question.anchor is None or fact.attribute != "depth" or fact.subject == question.anchor:
        return fact.gap is None
    anchor = facts.get(("depth", question.anchor))
    return fact.gap is not None and (anchor is None or abs(fact.value - anchor.value) == fact.gap)


def _relevant(question: SceneQuestion, step: Step) -> bool:
    if isinstance(step, Plan):
        return step.core == plan_core(question)
    if isinstance(step, Answer):
        return True
    if isinstance(step, Conclusion):
        return step.kind == question.kind and (step.kind == "count" or letter_of(question, step) is not None)
    if step.shape:
        return step.shape == question.shape
    return (step.attribute, step.subject) in needed_facts(question)
