"""Reading a prompt file and filling in its fields.

A file is text with fields in braces: {question} and {options} for both roles, and for judges {trace} and
{candidate}. The file's last newline is not part of the prompt. A judge's file is split at {candidate}:
what stands before is shared by all candidates of a node, so that an engine computes it once, and what
follows is the cue for the reply.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from verdict_assets.errors import UserError

FIELDS = ("question", "options", "trace", "candidate")
LETTERS = "ABCDEFGH"
_FIELD = re.compile(r"\{([^{}\n]*)\}")
_CANDIDATE = "{candidate}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file.

    name: path below the prompts folder, like "scenes/visual.txt". sha256: hex hash of the file's bytes.
    before: the text up to {candidate}, or all of it. cue: the text after {candidate}; None where there is
    none.
    """

    name: str
    sha256: str
    before: str
    cue: str | None

    @property
    def judges(self) -> bool:
        """Whether the prompt asks about a candidate."""
        return self.cue is not None

    def user(self, question: str, options: Sequence[str], trace: str = "") -> str:
        """The user text, up to the candidate. `trace`: the steps, each ended by a newline."""
        fields = {"question": question, "options": options_text(options), "trace": trace}
        return _fill(self.before, fields)


def options_text(options: Sequence[str]) -> str:
    """The options, lettered, one a line: "(A) red circle"."""
    return "\n".join(f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False))


def load_prompt(name: str) -> Prompt:
    """Read a prompt file of the package.

    Raises `UserError` when there is none of that name, or when its fields cannot be filled in.
    """
    folder = resources.files(__package__)
    file = folder.joinpath(*name.split("/"))
    if name.startswith(("/", ".")) or ".." in name.split("/") or not file.is_file():
        known = sorted(
            f"{world.name}/{text.name}"
            for world in folder.iterdir()
            if world.is_dir()
            for text in world.iterdir()
            if text.name.endswith(".txt")
        )
        raise UserError(
            f"there is no prompt {name!r}",
            where="inference/prompts",
            remedy=f"use one of: {', '.join(known)}",
        )
    return parse_prompt(name, file.read_bytes())


def parse_prompt(name: str, data: bytes) -> Prompt:
    """Split a prompt file into its parts. Raises `UserError` for unknown or misplaced fields."""
    text = data.decode("utf-8").removesuffix("\n")
    used = _FIELD.findall(text)
    faults = [f"unknown field {{{field}}}" for field in used if field not in FIELDS]
    faults += [f"field {{{field}}} stands twice" for field in FIELDS if used.count(field) > 1]
    if "question" not in used:
        faults.append("field {question} is missing")
    before, candidate, after = text.partition(_CANDIDATE)
    if not candidate and "trace" in used:
        faults.append("field {trace} is for judges, which also need {candidate}")
    if _FIELD.search(after):
        faults.append(
            "a field stands after {candidate}, which must come last so that candidates share what is before"
        )
    if faults:
        raise UserError(
            "; ".join(faults), where=name, remedy=f"use only {', '.join(f'{{{f}}}' for f in FIELDS)}"
        )
    return Prompt(name, hashlib.sha256(data).hexdigest(), before, after if candidate else None)


def _fill(text: str, fields: Mapping[str, str]) -> str:
    # In one pass, so that braces inside a question or a step are never taken for a field.
    return _FIELD.sub(lambda match: fields[match[1]], text)
