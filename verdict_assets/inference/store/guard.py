"""The guard: the one place that says which files of the store may be opened.

Every shard is hashed before it is read (once per process for unchanged size and time), and a frozen layer
must have exactly the files of its manifest. What does not match is refused with all faults in one message and
a remedy; nothing is computed from it. Belongs here: verification. Does not belong here: repair (`doctor.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.errors import UserError
from verdict_assets.inference.store.files import (
    MANIFEST,
    hash_in_name,
    sha256_file,
    shards_in,
)
from verdict_assets.inference.store.manifest import Manifest, read_manifest
from verdict_assets.inference.store.shard import VerifiedShard

RESTORE = "restore the layer: git checkout -- {0} && git clean -fd {0}"
"""What helps a frozen layer; {0} stands for its folder."""


class DamagedStore(UserError):  # noqa: N818 - says the state, like the message that it prints
    """Files of the store are not what their names or the manifest promise."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A folder of shards.

    Frozen layers are read-only and read first; the one open layer takes new answers.
    """

    path: Path
    frozen: bool


_hashes: dict[tuple[str, int, int, int], str] = {}
"""Full hash by (path, inode, size, time of change), so that one process hashes an unchanged file once."""


def verified_shards(layer: Layer, known: Collection[Path] = (), full: bool = False) -> list[VerifiedShard]:
    """The shards of a layer that are not in `known`, in the order in which they win, each verified.

    An absent or empty folder is an absent layer and has none. `full` hashes every byte again, whatever the
    process remembers.

    Raises DamagedStore, which names all faults and the remedy.
    """
    if is_absent(layer.path):
        return []
    if layer.frozen:
        faults = frozen_faults(layer.path, full)
        if faults:
            raise DamagedStore(
                "a frozen layer was changed:\n" + "\n".join(f"  {fault}" for fault in faults),
                where=layer.path,
                remedy=RESTORE.format(layer.path),
            )
    shards = [path for path in shards_in(layer.path) if path not in known]
    if not layer.frozen:
        faults = [fault for path in shards if (fault := shard_fault(path, full)) is not None]
        if faults:
            raise DamagedStore(
                "shards of the open layer are damaged:\n" + "\n".join(f"  {fault}" for fault in faults),
                where=layer.path,
                remedy="run `verdict doctor`: it moves them aside and names the answers that are lost",
            )
    return [VerifiedShard(path) for path in shards]


def is_absent(folder: Path) -> bool:
    """Whether there is no layer here at all; hidden files such as .gitignore make none."""
    return not folder.is_dir() or all(path.name.startswith(".") for path in folder.iterdir())


def shard_fault(path: Path, full: bool = False) -> str | None:
    """What is wrong with a shard, by the hash in its name; None if nothing is."""
    try:
        found = known_hash(path, full)
    except OSError as error:
        return f"{path.name}: cannot be read ({error.strerror})"
    if not found.startswith(hash_in_name(path.name)):
        return f"{path.name}: was changed, its bytes now have the hash {found}"
    return None


def frozen_faults(folder: Path, full: bool = False) -> list[str]:
    """All differences between a frozen layer and its manifest. UserError when it has no readable manifest."""
    manifest = read_manifest(folder)
    present = {path.name for path in folder.iterdir() if not path.name.startswith(".")} - {MANIFEST}
    faults = [f"{name}: is missing" for name in manifest.shards if name not in present]
    faults += [
        f"{name}: was added, the manifest does not list it" for name in present - manifest.shards.keys()
    ]
    faults += _changed(folder, manifest, present, full)
    return sorted(faults)


def _changed(folder: Path, manifest: Manifest, present: Collection[str], full: bool) -> list[str]:
    faults = []
    for name, entry in manifest.shards.items():
        if name not in present:
            continue
        try:
            found = known_hash(folder / name, full)
        except OSError as error:
            faults.append(f"{name}: cannot be read ({error.strerror})")
            continue
        if found != entry.sha256:
            faults.append(f"{name}: was changed, its hash is {found} and the manifest says {entry.sha256}")
        elif not found.startswith(hash_in_name(name)):
            faults.append(f"{name}: its name carries another hash than its bytes, {found}")
    return faults


def known_hash(path: Path, full: bool = False) -> str:
    """Hex sha256 of a file; without `full` hashed once a process while its size and time stay."""
    status = path.stat()
    identity = (str(path.absolute()), status.st_ino, status.st_size, status.st_mtime_ns)
    if full or identity not in _hashes:
        _hashes[identity] = sha256_file(path)
    return _hashes[identity]
