"""The final answer of a finished chain, and whether it is right.

Here: which text is read and what it is compared with. Not here: the rules that find a letter
(`inference/parse`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verdict_assets.benchmarks.load import Question
from verdict_assets.inference.parse import parse_answer
from verdict_assets.inference.prompts.render import LETTERS


@dataclass(frozen=True, slots=True)
class Answer:
    """A letter, or None where no rule found one; the rule's name; whether the letter is the gold one."""

    letter: str | None
    rule: str
    correct: bool


def read_answer(question: Question, steps: Sequence[str]) -> Answer:
    """Read the answer from all steps of a chain. No answer is a wrong answer, never a guess."""
    options = dict(zip(LETTERS, question.options, strict=False))
    parsed = parse_answer("\n".join(steps), options)
    return Answer(parsed.letter, str(parsed.rule), parsed.letter == question.gold)
