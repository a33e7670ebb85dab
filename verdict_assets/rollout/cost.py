"""What answers cost: requests and tokens, each request once however often it was needed.

Here: counting. Not here: money, and what a rollout will still cost (`plan.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from verdict_assets.inference.request import Response


@dataclass(frozen=True, slots=True)
class Cost:
    """Requests that were answered, and the tokens of their prompts and answers as the engine counted them."""

    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0


def cost_of(answers: Iterable[Response]) -> Cost:
    """The cost of the answers to different requests, by any number of runs and engines together."""
    tokens = [(answer.prompt_tokens, answer.output_tokens) for answer in answers]
    return Cost(len(tokens), sum(prompt for prompt, _ in tokens), sum(output for _, output in tokens))
