"""The sentences of the scenes world: how a step is worded and how a worded step is read back.

Belongs here: templates, and one reader built from the same templates, so that whatever is written can be
read. Whether a step is true is the oracle's business.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from verdict_assets.scenes.questions import DIRECTIONS, LETTERS, SceneQuestion
from verdict_assets.scenes.world import COLOURS, QUARTERS, SHAPES


@dataclass(frozen=True, slots=True)
class Plan:
    """The opening line: what the trace is going to look at."""

    core: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing read off the picture; ``gap`` only where a distance is asked, ``shape`` only for a count.

    ``letter`` is the option that the wording calls the subject by; it is no part of what is said.
    """

    attribute: str
    subject: str
    value: int
    gap: int | None = None
    shape: str | None = None
    letter: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What follows from the facts: a direction, a total, or the extreme value and who has it."""

    kind: str
    subject: str
    value: int | None = None
    direction: str | None = None
    reference: str | None = None
    largest: bool = False
    letter: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """The last line."""

    letter: str


Step = Plan | Fact | Conclusion | Answer

PLANS = ("first , {core} .", "plan : {core} .", "let us {core} .")
FACTS = (
    "the {subject} is at {fact} .",
    "i see the {subject} at {fact} .",
    "{subject} : {fact} .",
    "next , the {subject} has {fact} .",
    "looking at the {subject} gives {fact} .",
)
CONCLUSIONS = ("so {core} .", "hence {core} .", "thus {core} .", "therefore {core} .", "clearly {core} .")
ANSWERS = (
    "answer : ({letter})",
    "the answer is ({letter}) .",
    "so the answer is ({letter}) .",
    "hence the answer is ({letter}) .",
    "thus the answer is ({letter}) .",
)


def plan_core(question: SceneQuestion) -> str:
    """What the plan line of a question says."""
    return {
        "relation": "find column and row of both objects",
        "count": f"count the {question.shape}s in each quarter",
        "depth": "compare the depth of the four objects",
        "distance": f"compare each depth with the {question.anchor}",
    }[question.kind]


def write(step: Step, question: SceneQuestion, rng: random.Random) -> str:
    """One wording of ``step``, chosen uniformly; an object that is an option is called by its letter, too."""
    if isinstance(step, Plan):
        return rng.choice(PLANS).format(core=step.core)
    if isinstance(step, Fact):
        subject = f"{step.subject} quarter" if step.shape else _called(step.subject, question)
        return rng.choice(FACTS).format(subject=subject, fact=_fact_core(step))
    if isinstance(step, Conclusion):
        return rng.choice(CONCLUSIONS).format(core=_conclusion_core(step, question))
    return rng.choice(ANSWERS).format(letter=step.letter)


def option_letter(name: str, question: SceneQuestion) -> str | None:
    """The letter of the option that is the object ``name``, if any."""
    return LETTERS[question.options.index(name)] if name in question.options else None


def _called(name: str, question: SceneQuestion) -> str:
    letter = option_letter(name, question)
    return name if letter is None else f"({letter}) {name}"


def _fact_core(fact: Fact) -> str:
    if fact.shape:
        return f"{fact.value} {fact.shape}s"
    return f"{fact.attribute} {fact.value}" + ("" if fact.gap is None else f" , gap {fact.gap}")


def _conclusion_core(step: Conclusion, question: SceneQuestion) -> str:
    if step.kind == "relation":
        return f"the {step.subject} is {step.direction} of the {step.reference}"
    if step.kind == "count":
        return f"there are {step.value} {step.subject}s in total"
    measure = "gap" if step.kind == "distance" else "depth"
    extreme = "largest" if step.largest else "smallest"
    return f"the {extreme} {measure} is {step.value} : {_called(step.subject, question)}"


def _alternatives(words: Sequence[str]) -> str:
    return "|".join(map(re.escape, words))


_NAME = f"(?:{_alternatives(list(COLOURS))}) (?:{_alternatives(SHAPES)})"
_SHAPE = _alternatives(SHAPES)
_LETTER = rf"(?:\((?P<option>[{LETTERS}])\) )?"
_FACT_FORMS = (
    (
        rf"{_LETTER}(?P<subject>{_NAME})(?:{{link}})(?P<attribute>column|row|depth) (?P<value>\d+)"
        r"(?: , gap (?P<gap>\d+))?"
    ),
    rf"(?P<subject>{_alternatives(QUARTERS)}) quarter(?:{{link}})(?P<value>\d+) (?P<shape>{_SHAPE})s",
)
_CONCLUSION_FORMS = (
    rf"the (?P<subject>{_NAME}) is (?P<direction>{_alternatives(DIRECTIONS)}) of the (?P<reference>{_NAME})",
    rf"there are (?P<value>\d+) (?P<shape>{_SHAPE})s in total",
    (
        rf"the (?P<extreme>largest|smallest) (?P<measure>depth|gap) is (?P<value>\d+) : {_LETTER}"
        rf"(?P<subject>{_NAME})"
    ),
)


def _pattern(template: str, **slots: str) -> str:
    text = re.escape(template).replace(r"\{", "{").replace(r"\}", "}")
    for slot, form in slots.items():
        text = text.replace("{" + slot + "}", form)
    return text.replace(r"\ ", " ")


def _fact_patterns() -> list[re.Pattern[str]]:
    patterns = []
    for template in FACTS:
        before, _, rest = template.partition("{subject}")
        link, _, after = rest.partition("{fact}")
        for form in _FACT_FORMS:
            body = form.replace("{link}", _pattern(link))
            patterns.append(re.compile(_pattern(before) + body + _pattern(after)))
    return patterns


_FACT_PATTERNS = _fact_patterns()
_CONCLUSION_PATTERNS = [
    re.compile(_pattern(template, core=form)) for template in CONCLUSIONS for form in _CONCLUSION_FORMS
]
_ANSWER_PATTERNS = [re.compile(_pattern(template, letter=f"(?P<letter>[{LETTERS}])")) for template in ANSWERS]
_PLAN_PATTERNS = [re.compile(_pattern(template, core=r"(?P<core>[a-z ]+)")) for template in PLANS]


def read(text: str) -> Step | None:
    """The step that ``text`` words, or None when it is not a sentence of this world."""
    text = text.strip()
    for pattern in _FACT_PATTERNS:
        if match := pattern.fullmatch(text):
            return _read_fact(match.groupdict())
    for pattern in _CONCLUSION_PATTERNS:
        if match := pattern.fullmatch(text):
            return _read_conclusion(match.groupdict())
    for pattern in _ANSWER_PATTERNS:
        if match := pattern.fullmatch(text):
            return Answer(match["letter"])
    for pattern in _PLAN_PATTERNS:
        if match := pattern.fullmatch(text):
            return Plan(match["core"])
    return None


def _read_fact(found: dict[str, str | None]) -> Fact:
    subject, value = found["subject"] or "", int(found["value"] or 0)
    shape = found.get("shape")
    if shape:
        return Fact("number", subject, value, shape=shape)
    gap = found.get("gap")
    return Fact(
        found["attribute"] or "",
        subject,
        value,
        gap=None if gap is None else int(gap),
        letter=found["option"],
    )


def _read_conclusion(found: dict[str, str | None]) -> Conclusion:
    subject = found.get("subject") or ""
    if found.get("direction"):
        return Conclusion("relation", subject, direction=found["direction"], reference=found["reference"])
    value = int(found["value"] or 0)
    if shape := found.get("shape"):
        return Conclusion("count", shape, value=value)
    kind = "distance" if found["measure"] == "gap" else "depth"
    return Conclusion(
        kind, subject, value=value, largest=found["extreme"] == "largest", letter=found["option"]
    )
