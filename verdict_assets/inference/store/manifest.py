"""The manifest of a frozen layer: which files it has, with their hashes, and beside what they were recorded.

Belongs here: the manifest's content, reading and writing it. Does not belong here: comparing it with the
files (`guard.py`) and making a layer (`freeze.py`).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from verdict_assets.errors import UserError
from verdict_assets.inference.store.files import MANIFEST

MANIFEST_VERSION = 1


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """One shard of a frozen layer."""

    sha256: str
    size: int
    """Bytes."""
    groups: int
    responses: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a frozen layer consists of."""

    shards: dict[str, ShardEntry]
    beside: dict[str, str] = field(default_factory=dict)
    """sha256 by path of the prompts, questions, parameters and weights with which the answers were
    recorded."""

    @property
    def responses(self) -> int:
        """How many answers the layer holds."""
        return sum(entry.responses for entry in self.shards.values())


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of a layer under construction; equal content gives equal bytes."""
    content = {
        "manifest_version": MANIFEST_VERSION,
        "shards": {name: asdict(entry) for name, entry in manifest.shards.items()},
        "beside": manifest.beside,
    }
    (folder / MANIFEST).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a frozen layer; UserError when it is absent or not one."""
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["manifest_version"] != MANIFEST_VERSION:
            raise UserError(
                f"the manifest has another version than {MANIFEST_VERSION}, which this program reads",
                where=path,
                remedy="use the version of the program that froze the layer, or a newer one",
            )
        shards = {name: ShardEntry(**entry) for name, entry in content["shards"].items()}
        return Manifest(shards, dict(content["beside"]))
    except FileNotFoundError:
        raise UserError(
            "a frozen layer has no manifest, so nothing says what belongs to it",
            where=path,
            remedy="restore it (git checkout, or dvc checkout), or make a layer with `verdict freeze`",
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"the manifest of a frozen layer cannot be read ({error})",
            where=path,
            remedy=f"restore it: git checkout -- {path}, or dvc pull",
        ) from error
