"""The judge probe: right and corrupted steps at the same places, to test what judges can see.

Belongs here: which steps are put before the judges, with their truth. The prefix is always the true one, so
that a judge's score depends on the step alone. ``HELD_OUT`` corruptions are in no training data; scores of
them show whether judges know what is wrong or only the errors they were shown. Does not belong here: asking
the judges (``rollout``) and what their scores say (``analysis``).
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from verdict_assets.scenes.corruptions import HELD_OUT, TRAINED, Corruption, Place
from verdict_assets.scenes.language import Step, write
from verdict_assets.scenes.oracle import StepLabel, label_step
from verdict_assets.scenes.questions import SceneQuestion
from verdict_assets.scenes.traces import make_trace
from verdict_assets.scenes.world import Scene, generator

RIGHT = "right"
"""Kind of an item that is not corrupted; every other kind is the name of a corruption."""
_CLOSING = {kind: TRAINED[kind] for kind in ("misconclude", "letter")}
"""Errors that only a conclusion or an answer can have; repeated facts, possible there too, come at facts."""
_DRAWS = 8
"""Tries of one kind, most of which draw a value: one try may miss though the kind applies."""


@dataclass(frozen=True, slots=True)
class ProbeItem:
    """One step to be judged after the true steps ``prefix``; ``sound`` exactly when the kind is right."""

    question_id: str
    kind: str
    held_out: bool
    prefix: tuple[str, ...]
    text: str
    true_of_scene: bool
    follows: bool
    sound: bool

    @property
    def depth(self) -> int:
        """Number of steps before it, by which the items of one place find each other."""
        return len(self.prefix)


def probe_items(
    benchmark: str, question_id: str, scene: Scene, question: SceneQuestion
) -> tuple[ProbeItem, ...]:
    """The items of one question, the same on any machine: five, or fewer where a kind finds no place.

    One fact of the trace comes right, with a trained and with a held-out corruption, the conclusion or the
    answer comes right and with a trained corruption. Which places and kinds these are is drawn. Every
    corrupted step says something else than the right one and is not sound.
    """
    rng = generator("probe", benchmark, question_id)
    lines = make_trace(rng, scene, question, noise=0.0)
    conclusion = len(lines) - 2
    spots = (
        (rng.randrange(1, conclusion), (TRAINED, HELD_OUT)),
        (rng.choice((conclusion, conclusion + 1)), (_CLOSING,)),
    )
    found = []
    for at, tables in spots:
        place, right = Place(scene, question, tuple(line.text for line in lines[:at])), lines[at]
        found.append(_item(question_id, place, RIGHT, right.text))
        for kinds in tables:
            corrupted = _corrupted(rng, kinds, place, right.step)
            if corrupted is not None:
                found.append(_item(question_id, place, *corrupted))
    return tuple(found)


def _corrupted(
    rng: random.Random, kinds: Mapping[str, Corruption], place: Place, right: Step
) -> tuple[str, str] | None:
    """Kind and text of one corruption of the step ``right``; None where no kind applies."""
    for kind in rng.sample(list(kinds), len(kinds)):
        for _ in range(_DRAWS):
            step = kinds[kind](rng, place, right)
            if step is not None and step != right:
                text = write(step, place.question, rng)
                if not _sound(_label(place, text)):
                    return kind, text
    return None


def _item(question_id: str, place: Place, kind: str, text: str) -> ProbeItem:
    label = _label(place, text)
    return ProbeItem(
        question_id,
        kind,
        kind in HELD_OUT,
        tuple(place.prefix),
        text,
        bool(label.true_of_scene),
        bool(label.follows),
        _sound(label),
    )


def _label(place: Place, text: str) -> StepLabel:
    return label_step(place.scene, place.question, place.prefix, text)


def _sound(label: StepLabel) -> bool:
    return bool(label.true_of_scene and label.follows and label.relevant)
