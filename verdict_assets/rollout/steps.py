"""How one reply of the base model becomes a step, or ends a chain.

Here: the written rules (numbers from `params.yaml`). Not here: asking, and the tree that the steps make up.

* A blank line is not a step: it belongs to the prefix, and generation goes on after it, at most
  `max_blank` times; one more and the candidate is empty. It is never drawn again with another seed.
* A step ends at the first newline after text, at the end of sequence, or at the token limit (then it is
  kept as it is and closed by a newline).
* A chain ends at the end of sequence, after `repeat_limit` equal steps in a row, at `max_steps` steps, or
  with a candidate without text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verdict_assets.inference.request import Finish, Response, State
from verdict_assets.verification.tree import End


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits on blank lines before a step, on equal steps in a row, and on the length of a chain."""

    max_blank: int
    repeat_limit: int
    max_steps: int


@dataclass(frozen=True, slots=True)
class Step:
    """A finished candidate. `end` says why the chain ends with it, if it does."""

    text: str
    finish: Finish
    state: State
    blank_lines: int
    end: End

    @property
    def can_be_judged(self) -> bool:
        """Whether there is anything that a judge could be shown."""
        return bool(self.text.strip())


def read_step(response: Response, before: Sequence[str], blank_lines: int, rules: Rules) -> Step | None:
    """The step that `response` ends, or None when it is a blank line after which generation goes on.

    before: texts of the earlier steps. blank_lines: blank lines already drawn for this candidate.
    """
    blank = not response.text.strip()
    if blank and response.finish is Finish.NEWLINE and blank_lines < rules.max_blank:
        return None
    if blank:
        state = response.state if response.state is State.REFUSED else State.EMPTY
        end = End.EOS if response.finish is Finish.EOS else End.EMPTY
        return Step("", response.finish, state, blank_lines, end)
    return Step(response.text, response.finish, response.state, blank_lines, _end(response, before, rules))


def _end(response: Response, before: Sequence[str], rules: Rules) -> End:
    if response.finish is Finish.EOS:
        return End.EOS
    same = rules.repeat_limit - 1
    if len(before) >= same and all(step == response.text for step in before[len(before) - same :]):
        return End.LOOP
    if len(before) + 1 >= rules.max_steps:
        return End.CAP
    return End.NONE
