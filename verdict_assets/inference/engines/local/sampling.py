"""One token per row from a matrix of logits, as a pure function of the logits and one uniform number per row.

Belongs here: the filters (top-k, top-p, min-p), inverse-CDF sampling, log-probabilities. Does not belong
here: where logits come from, and when a sequence ends. Numpy only, in float64, so that the choice itself adds
no rounding that could depend on who else is in the batch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tokens = NDArray[np.int64]


def uniforms(seed: int, count: int) -> Floats:
    """The first `count` numbers of a request's noise, each in [0, 1) with 53 random bits.

    Number i depends on (seed, i) alone: Philox is counter-based, so neither the batch nor the number of
    tokens drawn so far matters, and a request that is asked again meets the same noise.
    """
    raw = np.random.Philox(key=seed).random_raw(count)
    return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53


def greedy(logits: NDArray[np.float32]) -> Tokens:
    """The most probable token of each row of logits[rows, vocabulary]; of equal ones the lowest id."""
    return np.asarray(logits.argmax(axis=1), dtype=np.int64)


def sample(
    logits: NDArray[np.float32], noise: Floats, *, temperature: float, top_p: float, top_k: int, min_p: float
) -> Tokens:
    """Draw a token for each row of logits[rows, vocabulary] with noise[rows] in [0, 1).

    Temperature first, then min-p, top-k and top-p, in the order in which servers apply them; top_k <= 0,
    top_p >= 1 and min_p <= 0 filter nothing. The draw inverts the cumulative distribution in the fixed order
    of token ids: the first token whose cumulative mass exceeds the noise. A small change of the logits
    therefore moves boundaries a little, and never reorders the tokens.
    """
    scaled = logits.astype(np.float64) / temperature
    mass = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    mass = _filtered(mass, top_p=top_p, top_k=top_k, min_p=min_p)
    cumulative = mass.cumsum(axis=1)
    total = cumulative[:, -1]
    target = np.minimum(
        noise * total, np.nextafter(total, 0.0)
    )  # a product rounded up to the total has no token
    return np.asarray((cumulative <= target[:, None]).sum(axis=1), dtype=np.int64)


def log_probability(logits: NDArray[np.float32], tokens: Tokens) -> Floats:
    """Natural log-probability of tokens[rows] under logits[rows, vocabulary], untempered and unfiltered."""
    values = logits.astype(np.float64)
    top = values.max(axis=1)
    normaliser = np.log(np.exp(values - top[:, None]).sum(axis=1)) + top
    return np.asarray(values[np.arange(len(tokens)), tokens] - normaliser, dtype=np.float64)


def _filtered(mass: Floats, *, top_p: float, top_k: int, min_p: float) -> Floats:
    """`mass` with zeros where a filter excludes a token; tokens that tie with the last one kept are kept."""
    if min_p > 0:
        mass = np.where(mass >= min_p * mass.max(axis=1, keepdims=True), mass, 0.0)
    vocabulary = mass.shape[1]
    if 0 < top_k < vocabulary:
        least = np.partition(mass, vocabulary - top_k, axis=1)[:, vocabulary - top_k]
        mass = np.where(mass >= least[:, None], mass, 0.0)
    if top_p < 1:
        falling = np.sort(mass, axis=1)[:, ::-1]
        before = falling.cumsum(axis=1) - falling
        kept = (before < top_p * mass.sum(axis=1)[:, None]).sum(axis=1)  # the smallest set that holds top_p
        least = falling[np.arange(len(falling)), kept - 1]
        mass = np.where(mass >= least[:, None], mass, 0.0)
    return mass
