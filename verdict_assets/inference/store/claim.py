"""How a finished file gets its number, with many writers and no lock.

A number is claimed by an exclusive hard link from the complete, flushed file to `shard-<number>.parquet`;
then the claim is renamed to its final name, which carries the hash. So a number is never claimed for
something incomplete, and a writer that is killed leaves either a temporary file or a complete claim, which
`verdict doctor` finishes.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from verdict_assets.errors import UserError
from verdict_assets.inference.store.files import (
    claim_name,
    claim_number,
    flush_to_disk,
    sha256_file,
    shard_name,
    shard_number,
)

_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def publish(temporary: Path) -> Path:
    """Give a complete file the next free number of its folder; returns its final path.

    `temporary` is gone then.
    """
    folder = temporary.parent
    flush_to_disk(temporary)
    sha256 = sha256_file(temporary)
    number = next_number(folder)
    while not _claimed(temporary, number):
        number += 1
    final = folder / shard_name(number, sha256)
    (folder / claim_name(number)).rename(final)
    temporary.unlink()
    flush_to_disk(folder)
    return final


def finish(claim: Path) -> Path:
    """Give a claim that its writer left behind its final name.

    If its number was finished since by another writer, it gets the next one.
    """
    number = claim_number(claim.name)
    if number is None:
        raise ValueError(f"{claim.name} is not a claim")
    if _is_finished(claim.parent, number):
        return publish(claim)
    final = claim.with_name(shard_name(number, sha256_file(claim)))
    return claim.rename(final)


def next_number(folder: Path) -> int:
    """One more than the highest number in use; 1 in an empty folder."""
    return (
        max((number for path in folder.iterdir() if (number := any_number(path.name)) is not None), default=0)
        + 1
    )


def _claimed(temporary: Path, number: int) -> bool:
    """Whether the number is ours.

    A claim disappears when it gets its final name, so after our link has succeeded we look once more whether
    another writer finished this very number between our count and our link.
    """
    claim = temporary.parent / claim_name(number)
    try:
        os.link(temporary, claim)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno in _NO_HARD_LINKS:
            raise UserError(
                "shard numbers are claimed by hard links, and this file system does not allow them",
                where=temporary.parent,
                remedy="put the open layer on a local file system (ext4, xfs, APFS)",
            ) from error
        raise
    if _is_finished(temporary.parent, number):
        claim.unlink()
        return False
    return True


def _is_finished(folder: Path, number: int) -> bool:
    return any(shard_number(path.name) == number for path in folder.iterdir())


def any_number(name: str) -> int | None:
    """The number of a finished shard or a claim; None for every other name."""
    finished = shard_number(name)
    return claim_number(name) if finished is None else finished
