"""How a sampling seed follows from a request.

Seeds are hashes, never small numbers in a row: engines derive the streams of several samples as seed, seed+1,
..., and some draw their noise from (seed, position) alone, so near or equal seeds would give correlated
candidates. A seed is derived when it is needed and stored nowhere.
"""

from __future__ import annotations

import hashlib


def seed_of_key(request_key: str) -> int:
    """The first 63 bits of sha256("seed" + request key): a whole number in [0, 2^63).

    63 bits because engines read the seed as a signed 64-bit number, and some take a negative one as "no
    seed".
    """
    return int.from_bytes(hashlib.sha256(f"seed{request_key}".encode()).digest()[:8], "big") >> 1
