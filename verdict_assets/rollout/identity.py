"""What exactly a model is: hashes over its weight folder, which become part of every key.

Here: which files of a folder can change an answer, and their hashes. Not here: loading a model (`inference/engines`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.errors import UserError

# What loaders read. A model card, a log or a figure beside the weights can be corrected without a new identity.
_SUFFIXES = frozenset({".json", ".safetensors", ".jinja", ".txt", ".model", ".py"})
_TOKENIZER = "tokenizer.json"
_TEMPLATE = "chat_template.jinja"
_TOKENIZER_CONFIG = "tokenizer_config.json"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Hex sha256 over all files that can change an answer (revision), of the tokenizer, of the chat template."""

    model: str
    revision: str
    tokenizer: str
    template: str


def model_identity(folder: Path, model: str) -> ModelIdentity:
    """Hash the weight folder of `model`.

    revision = sha256 over the lines "<sha256>  <name>\\n" of the folder's own files (no subfolders), sorted by name.
    Raises `UserError` when the folder, its tokenizer or its chat template is missing.
    """
    if not folder.is_dir():
        raise UserError(
            f"there are no weights of model {model!r}",
            where=folder,
            remedy="restore the folder from git, or put a transformers snapshot of the model there",
        )
    hashes = {
        file.name: _sha256(file)
        for file in sorted(folder.iterdir())
        if file.is_file() and file.suffix in _SUFFIXES and not file.name.startswith(".")
    }
    if _TOKENIZER not in hashes:
        raise UserError(
            f"model {model!r} has no {_TOKENIZER}", where=folder, remedy="restore the folder, or save a fast tokenizer there"
        )
    listing = "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
    return ModelIdentity(
        model=model,
        revision=hashlib.sha256(listing.encode()).hexdigest(),
        tokenizer=hashes[_TOKENIZER],
        template=_template_hash(folder, model),
    )


def _template_hash(folder: Path, model: str) -> str:
    file = folder / _TEMPLATE
    if file.is_file():
        return _sha256(file)
    config = folder / _TOKENIZER_CONFIG
    if config.is_file():
        template = json.loads(config.read_text(encoding="utf-8")).get("chat_template")
        if isinstance(template, str):
            return hashlib.sha256(template.encode()).hexdigest()
    raise UserError(
        f"model {model!r} has no chat template", where=folder, remedy=f"put it into {_TEMPLATE} in that folder"
    )


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
