"""The tree of one question as far as answers are known, with its texts.

Here: places, candidates, judge replies, and which requests a place still needs. Not here: which places a
strategy needs (`forest.py`), and statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from verdict_assets.benchmarks.load import Question
from verdict_assets.config.studies import ScoreSet
from verdict_assets.inference.parse import ParsedScore, parse_score
from verdict_assets.inference.request import Group, Request, Response
from verdict_assets.rollout.answers import Answer, read_answer
from verdict_assets.rollout.asking import STEP_END, Asking
from verdict_assets.rollout.steps import Rules, Step, read_step
from verdict_assets.verification.tree import End, FloatArray


@dataclass(frozen=True, slots=True)
class Want:
    """One request that a question waits for. `accept` takes its answer."""

    request: Request
    kind: str
    """"step" or "score"."""
    accept: Callable[[Response], None]

    @property
    def place(self) -> tuple[str, str | None, int | None]:
        """What tells the request from others, cheaper than its key."""
        return (self.request.group.key, self.request.tail, self.request.draw)


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's reply to one candidate text, and the score read from it."""

    response: Response
    parsed: ParsedScore


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finished step and the place it leads to."""

    step: Step
    child: str


@dataclass(slots=True)
class _Draft:
    """A candidate that has only blank lines so far."""

    place: Group
    blank_lines: int = 0


@dataclass(slots=True)
class Place:
    """A node: a prefix, and what is known to follow it."""

    node: str
    parent: str | None
    steps: tuple[str, ...]
    end: End
    group: Group
    candidates: dict[int, Candidate] = field(default_factory=dict)
    drafts: dict[int, _Draft] = field(default_factory=dict)
    replies: dict[str, dict[tuple[str, int], Reply]] = field(default_factory=dict)
    """Score set -> (candidate text, judge's position) -> reply."""
    judged: dict[tuple[str, str], Group] = field(default_factory=dict)
    """(judge, decoding) -> what its calls here share."""
    answer: Answer | None = None
    """Of a leaf, once it was read."""

    @property
    def known(self) -> int:
        """How many of the first candidates are known without a gap."""
        count = 0
        while count in self.candidates:
            count += 1
        return count


class QuestionTree:
    """Everything known about one question. Places are kept in the order in which they were reached."""

    def __init__(
        self, question: Question, asking: Asking, rules: Rules, candidates: int, twin: int = 0
    ) -> None:
        """Start with the root alone.

        twin: how many earlier questions ask exactly the same of the same picture. They share every
        request, but node names must tell them apart.
        """
        self.question = question
        self.places: dict[str, Place] = {}
        self.fresh: list[str] = []
        """Nodes about which something was learned since the list was last cleared."""
        self._asking = asking
        self._rules = rules
        self._candidates = candidates
        self._twin = f"~{twin}" if twin else ""
        root = asking.root(question)
        self.root = self._name(root, End.NONE)
        self._add(Place(self.root, None, (), End.NONE, root))

    def candidate_wants(self, node: str, count: int) -> Iterator[Want]:
        """What is still to be asked before the first `count` candidates of `node` are known."""
        place = self.places[node]
        for index in range(count):
            if index not in place.candidates:
                draft = place.drafts.setdefault(index, _Draft(place.group))
                request = self._asking.candidate(draft.place, index)
                yield Want(request, "step", self._step_taker(place, index, draft))

    def score_wants(self, node: str, score_set: ScoreSet) -> Iterator[Want]:
        """What is still to be asked before every judge has answered on every candidate of `node`."""
        place = self.places[node]
        replies = place.replies.setdefault(score_set.name, {})
        texts = dict.fromkeys(
            candidate.step.text
            for _, candidate in sorted(place.candidates.items())
            if candidate.step.can_be_judged
        )
        if not texts:
            self._learned(node)  # nothing can be asked, so everything that can be known is known
        for position, judge in enumerate(self._asking.study.judges):
            place_of_judge = (judge.name, score_set.decoding.name)
            if place_of_judge not in place.judged:
                place.judged[place_of_judge] = self._asking.judged(
                    self.question, place.steps, judge, score_set.decoding
                )
            for text in texts:
                if (text, position) not in replies:
                    request = self._asking.score(place.judged[place_of_judge], text, score_set)
                    yield Want(request, "score", self._reply_taker(place, replies, text, position))

    def scores(self, node: str, score_set: str) -> FloatArray | None:
        """Scores [n, m], NaN where one is missing; None while a judge was not asked about a candidate."""
        place = self.places[node]
        replies = place.replies.get(score_set)
        if replies is None or place.known < self._candidates:
            return None
        judges = len(self._asking.study.judges)
        scores = np.full((self._candidates, judges), np.nan)
        for index in range(self._candidates):
            step = place.candidates[index].step
            if not step.can_be_judged:
                continue
            for position in range(judges):
                reply = replies.get((step.text, position))
                if reply is None:
                    return None
                if reply.parsed.score is not None:
                    scores[index, position] = reply.parsed.score
        return scores

    def answer(self, node: str) -> Answer:
        """The final answer of the chain that ends at a leaf."""
        place = self.places[node]
        if place.answer is None:
            place.answer = read_answer(self.question, place.steps)
        return place.answer

    def _step_taker(self, place: Place, index: int, draft: _Draft) -> Callable[[Response], None]:
        def accept(response: Response) -> None:
            step = read_step(response, place.steps, draft.blank_lines, self._rules)
            if step is None:
                prefix = (draft.place.assistant or "") + response.text + STEP_END
                place.drafts[index] = _Draft(_continued(draft.place, prefix), draft.blank_lines + 1)
                return
            place.drafts.pop(index, None)
            place.candidates[index] = Candidate(step, self._child(place, draft.place, step))
            self._learned(place.node)

        return accept

    def _reply_taker(
        self, place: Place, replies: dict[tuple[str, int], Reply], text: str, position: int
    ) -> Callable[[Response], None]:
        def accept(response: Response) -> None:
            replies[text, position] = Reply(response, parse_score(response.text, response.finish))
            self._learned(place.node)

        return accept

    def _child(self, place: Place, drafted: Group, step: Step) -> str:
        """The place that `step` leads to; a leaf's name also says how the chain ended there."""
        closing = "" if step.end in (End.EOS, End.EMPTY) else STEP_END
        group = _continued(drafted, (drafted.assistant or "") + step.text + closing)
        node = self._name(group, step.end)
        if node not in self.places:
            steps = (*place.steps, step.text) if step.can_be_judged else place.steps
            self._add(Place(node, place.node, steps, step.end, group))
        return node

    def _name(self, group: Group, end: End) -> str:
        ending = "" if end is End.NONE else f".{end.name.lower()}"
        return f"{group.key}{ending}{self._twin}"

    def _add(self, place: Place) -> None:
        self.places[place.node] = place
        self._learned(place.node)

    def _learned(self, node: str) -> None:
        self.fresh.append(node)


def _continued(place: Group, prefix: str) -> Group:
    return Group(place.setup, place.images, place.user, assistant=prefix)
