"""Which weights answered: the identity of a model folder, as it stands in the key of every request.

Belongs here: hashing a folder in the layout of transformers. Does not belong here: loading it
(`engines/local/`), and which folder a study names (`config/studies.py`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.errors import UserError

NOT_WEIGHTS = (".md", ".txt", ".lock")
"""Suffixes of files that no engine reads: a corrected sentence in a model card must not change a key."""


@dataclass(frozen=True, slots=True)
class WeightsIdentity:
    """What a `Setup` says of its model: three hex sha256."""

    revision: str
    """Over the sorted (name, sha256) of the folder's files."""
    tokenizer: str
    """Of tokenizer.json."""
    template: str
    """Of the chat template."""


def identify(folder: Path) -> WeightsIdentity:
    """The identity of the model in `folder`. Raises UserError that lists all that the folder lacks."""
    if not folder.is_dir():
        raise UserError(
            "there is no such model folder", where=folder, remedy="check the model's name in the study"
        )
    files = sorted(f for f in folder.rglob("*") if _counts(f, folder))
    names = {f.relative_to(folder).as_posix() for f in files}
    lacking = [name for name in ("config.json", "tokenizer.json") if name not in names]
    if not any(name.endswith(".safetensors") for name in names):
        lacking.append("*.safetensors")
    template = _template(folder)
    if template is None:
        lacking.append("chat_template.jinja")
    if lacking or template is None:
        raise UserError(
            f"not a complete model folder, it lacks {', '.join(lacking)}",
            where=folder,
            remedy="restore it (git checkout, or dvc pull); a model is saved with save_pretrained",
        )
    hashes = {f.relative_to(folder).as_posix(): _sha256(f) for f in files}
    listing = "".join(f"{name} {digest}\n" for name, digest in sorted(hashes.items()))
    return WeightsIdentity(
        revision=hashlib.sha256(listing.encode()).hexdigest(),
        tokenizer=hashes["tokenizer.json"],
        template=hashlib.sha256(template.encode()).hexdigest(),
    )


def _counts(file: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.is_file() and not hidden and file.suffix not in NOT_WEIGHTS


def _template(folder: Path) -> str | None:
    """The chat template's text: its own file, or where older folders keep it."""
    own = folder / "chat_template.jinja"
    if own.is_file():
        return own.read_text(encoding="utf-8")
    config = folder / "tokenizer_config.json"
    if config.is_file():
        found = json.loads(config.read_text(encoding="utf-8")).get("chat_template")
        return found if isinstance(found, str) else None
    return None


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
