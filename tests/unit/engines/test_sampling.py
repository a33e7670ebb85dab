"""Choosing tokens: against plain loops over one row, and the properties that keep batches independent."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from verdict_assets.inference.engines.local.sampling import greedy, log_probability, sample, uniforms

numbers = st.floats(-12, 12, width=32)
matrices = st.integers(2, 9).flatmap(
    lambda width: st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=1, max_size=6)
)
filters = st.fixed_dictionaries(
    {
        "temperature": st.sampled_from([0.3, 0.8, 1.0, 1.7]),
        "top_p": st.sampled_from([0.05, 0.6, 0.95, 1.0]),
        "top_k": st.sampled_from([-1, 0, 1, 3, 50]),
        "min_p": st.sampled_from([0.0, 0.1, 1.0]),
    }
)


def matrix(rows: list[list[float]]) -> NDArray[np.float32]:
    return np.array(rows, dtype=np.float32)


def allowed(row: list[float], temperature: float, top_p: float, top_k: int, min_p: float) -> dict[int, float]:
    """Probability of each token that may be drawn, by the definitions, one token at a time."""
    weights = {i: math.exp((x - max(row)) / temperature) for i, x in enumerate(row)}
    kept = {i: w for i, w in weights.items() if w >= min_p * max(weights.values())}
    ranked = sorted(kept.values(), reverse=True)
    if 0 < top_k < len(row):
        floor = (ranked + [0.0] * len(row))[top_k - 1]
        kept = {i: w for i, w in kept.items() if w >= floor}
    total, mass = sum(kept.values()), 0.0
    for weight in sorted(kept.values(), reverse=True):
        if top_p < 1 and mass >= top_p * total:
            break
        mass, floor = mass + weight, weight
    kept = {i: w for i, w in kept.items() if w >= floor}
    return {i: w / sum(kept.values()) for i, w in kept.items()}


@settings(max_examples=150, deadline=None)
@given(matrices, filters, st.integers(0, 2**63 - 1))
def test_only_allowed_tokens_are_drawn(rows: list[list[float]], how: dict[str, float], seed: int) -> None:
    drawn = sample(matrix(rows), uniforms(seed, len(rows)), **how)  # type: ignore[arg-type]
    for row, token in zip(matrix(rows).astype(float).tolist(), drawn.tolist(), strict=True):
        wide = {**how, "top_p": min(1.0, how["top_p"] * (1 + 1e-9))}  # the sum's last digit may go either way
        assert token in allowed(row, **how) or token in allowed(row, **wide)  # type: ignore[arg-type]


@settings(max_examples=100, deadline=None)
@given(matrices, filters, st.integers(0, 2**63 - 1))
def test_a_row_does_not_see_the_others(rows: list[list[float]], how: dict[str, float], seed: int) -> None:
    noise = uniforms(seed, len(rows))
    together = sample(matrix(rows), noise, **how)  # type: ignore[arg-type]
    for index, row in enumerate(rows):
        alone = sample(matrix([row]), noise[index : index + 1], **how)  # type: ignore[arg-type]
        assert alone[0] == together[index]


def test_frequencies_are_the_probabilities() -> None:
    row = [2.0, 1.0, 0.5, -1.0, 0.5]
    how = {"temperature": 0.8, "top_p": 0.9, "top_k": -1, "min_p": 0.0}
    grid = (np.arange(20_000) + 0.5) / 20_000
    drawn = sample(matrix([row] * len(grid)), grid, **how)  # type: ignore[arg-type]
    for token, probability in allowed(row, **how).items():  # type: ignore[arg-type]
        assert np.mean(drawn == token) == pytest.approx(probability, abs=2e-4)


@pytest.mark.parametrize("noise", [0.0, np.nextafter(1.0, 0.0)])
def test_the_ends_of_the_noise_have_a_token(noise: float) -> None:
    row = [-9.0, 3.0, 2.0, -9.0]
    drawn = sample(matrix([row]), np.array([noise]), temperature=1.0, top_p=0.9, top_k=-1, min_p=0.0)
    assert drawn[0] == (1 if noise == 0.0 else 2)


def test_equal_logits_are_all_kept_and_greedy_takes_the_first() -> None:
    rows = matrix([[1.0, 1.0, 1.0, 1.0]] * 4)
    noise = np.array([0.1, 0.3, 0.6, 0.9])
    assert sample(rows, noise, temperature=1.0, top_p=0.3, top_k=1, min_p=1.0).tolist() == [0, 1, 2, 3]
    assert greedy(rows).tolist() == [0, 0, 0, 0]


@settings(max_examples=100, deadline=None)
@given(matrices)
def test_log_probabilities(rows: list[list[float]]) -> None:
    tokens = np.arange(len(rows)) % len(rows[0])
    found = log_probability(matrix(rows), tokens)
    for row, token, value in zip(matrix(rows).astype(float), tokens, found, strict=True):
        assert value == pytest.approx(row[token] - np.logaddexp.reduce(row), abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**63 - 1), st.integers(1, 30), st.integers(1, 30))
def test_noise_depends_on_seed_and_place_alone(seed: int, short: int, more: int) -> None:
    noise = uniforms(seed, short + more)
    assert np.array_equal(noise[:short], uniforms(seed, short))
    assert ((noise >= 0) & (noise < 1)).all()
    assert not np.array_equal(noise, uniforms(seed ^ 1, short + more))


def test_the_noise_of_a_seed_never_changes() -> None:
    """A recorded run was drawn with it: another stream would make every seeded request another question."""
    assert uniforms(2**62 + 3, 3).tolist() == GOLDEN


GOLDEN = [0.8208850441017397, 0.1262045873325356, 0.3182048832789969]
