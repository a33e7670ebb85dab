"""An archive of files whose bytes depend on nothing but theirs, and reading it without trusting it.

Belongs here: the form of the archive. Does not belong here: which files are in it.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path

from verdict_assets.errors import UserError

HASHES = "SHA256.json"
"""In the archive: sha256 of every other file."""
_MODE = 0o644


def pack(files: Mapping[str, bytes]) -> bytes:
    """The files as a tar archive: sorted, of no owner and no time, with their hashes."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    everything = {**files, HASHES: (json.dumps(hashes, indent=1) + "\n").encode()}
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(everything.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), _MODE
            archive.addfile(entry, io.BytesIO(data))
    return whole.getvalue()


def unpack(path: Path) -> dict[str, bytes]:
    """The files of an archive by name; nothing is written.

    Raises:
        UserError: it is no such archive, or its files are not those that were packed; all faults are named.
    """
    remedy = "get the archive again from whoever made it with `verdict bundle`"
    try:
        with tarfile.open(path, mode="r:") as archive:
            files = {
                entry.name: data.read()
                for entry in archive
                if entry.isfile() and (data := archive.extractfile(entry)) is not None
            }
        hashes = json.loads(files.pop(HASHES))
    except (OSError, tarfile.TarError, KeyError, ValueError) as error:
        raise UserError(f"this is no bundle ({error})", where=path, remedy=remedy) from error
    found = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    faults = [f"{name}: is missing" for name in hashes if name not in found]
    faults += [f"{name}: was added" for name in found if name not in hashes]
    faults += [f"{name}: was changed" for name in found if name in hashes and found[name] != hashes[name]]
    if faults:
        raise UserError(
            "the bundle was changed:\n" + "\n".join(f"  {fault}" for fault in sorted(faults)),
            where=path,
            remedy=remedy,
        )
    return files
