"""Saying how a running rollout gets on, and how long it will still take.

Here: the estimate and when a line is written. Not here: the final report (`report.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO


class Progress:
    """Writes a line now and then: questions closed, requests per second, time left.

    The estimate takes every open question to need as many requests as the closed ones needed on average.
    """

    def __init__(
        self, stream: TextIO, questions: int, every: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._questions = questions
        self._every = every
        self._clock = clock
        self._start = clock()
        self._last = self._start
        self._asked: dict[int, int] = {}
        self._answered = 0
        self._closed: set[int] = set()

    def asked(self, position: int) -> None:
        """One more request is asked for the question at `position`."""
        self._asked[position] = self._asked.get(position, 0) + 1

    def closed(self, positions: list[int]) -> None:
        """These questions need nothing more."""
        self._closed.update(positions)

    def answered(self, in_round: int, asked_in_round: int) -> None:
        """The engine has answered this many of the requests of the running round."""
        now = self._clock()
        if now - self._last >= self._every:
            self._last = now
            self._write(self._answered + in_round, now)
        if in_round == asked_in_round:
            self._answered += in_round

    def _write(self, answered: int, now: float) -> None:
        rate = answered / max(now - self._start, 1e-9)
        done = f"{len(self._closed)}/{self._questions} questions closed"
        line = f"{done}, {answered} requests, {rate:.1f} requests/s"
        left = self._left(rate)
        print(line if left is None else f"{line}, {left} left", file=self._stream, flush=True)

    def _left(self, rate: float) -> str | None:
        needed = [self._asked[position] for position in self._closed if position in self._asked]
        if not needed or rate <= 0:
            return None
        mean = sum(needed) / len(needed)
        started = [count for position, count in self._asked.items() if position not in self._closed]
        untouched = self._questions - len(self._closed) - len(started)
        requests = mean * untouched + sum(max(mean - count, 0.0) for count in started)
        return _duration(requests / rate)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
