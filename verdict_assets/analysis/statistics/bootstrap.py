"""Resampling questions: the interval of a difference between two strategies on the same questions.

Belongs here: draws whose seed is a hash of what is drawn, so that no result depends on what ran before.
Does not belong here: tests (`paired`) and closed formulas (`intervals`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from verdict_assets.analysis.statistics.intervals import Interval


def seed_of(*parts: str) -> int:
    """A 128-bit seed from the names of what is drawn: same names, same draws, whatever was drawn before."""
    text = "\x1f".join(("bootstrap", *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


def paired_mean_interval(
    net: Sequence[int], *, resamples: int, confidence: float, seed: int
) -> Interval | None:
    """Percentile interval of mean(net) over resampled questions (Efron 1979; spec row 40).

    net[q] is what question q adds to the difference: 1 won, -1 lost, 0 the same. Each resample draws as many
    questions as there are, with replacement; its sum is an integer, so nothing depends on the order of
    adding. The ends are order statistics of the resampled sums, without interpolation. None without
    questions.

    Raises ValueError when there are too few resamples for the tails of this confidence.
    """
    tail = (1 - confidence) / 2
    if resamples * tail < 1:
        raise ValueError(f"{resamples} resamples leave nothing in a tail of {tail:g}; raise the number")
    if len(net) == 0:
        return None
    values = np.asarray(net, dtype=np.int64)
    sums = np.sort(values[_indices(len(values), resamples, seed)].sum(axis=1))
    cut = int(resamples * tail)
    return Interval(int(sums[cut]) / len(values), int(sums[resamples - 1 - cut]) / len(values))


def _indices(size: int, resamples: int, seed: int) -> npt.NDArray[np.int64]:
    """[resamples, size] indices from raw PCG64 words.

    Only the bit generator's raw stream is promised to stay the same between numpy versions, so the map to an
    index is done here: the upper 32 bits times `size`, divided by 2^32 (off from uniform by less than
    size/2^32).
    """
    raw = np.random.PCG64(seed).random_raw(resamples * size)
    scaled = (raw >> np.uint64(32)) * np.uint64(size) >> np.uint64(32)
    return scaled.astype(np.int64).reshape(resamples, size)
