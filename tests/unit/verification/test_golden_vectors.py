"""The kernel and the statistics against 23 score vectors worked out independently, at the defaults."""

import json
from pathlib import Path

import numpy as np
import pytest

from verdict_assets.verification.consensus import consensus, passes
from verdict_assets.verification.settings import PAPER_EPSILON, PAPER_STUBBORNNESS, PAPER_TAU
from verdict_assets.verification.statistics import profile
from verdict_assets.verification.strategy import Missing, Scores, Statistic

VECTORS = [
    json.loads(line)
    for line in Path(__file__).with_name("golden_vectors.jsonl").read_text(encoding="utf-8").splitlines()
]
RAW = np.array([vector["raw"] for vector in VECTORS])
PRINTED = 1e-9  # the vectors have ten decimals


def expected(name: str) -> np.ndarray:
    return np.array([vector[name] for vector in VECTORS])


def test_there_are_as_many_vectors_as_were_worked_out() -> None:
    assert len(VECTORS) == 23


@pytest.mark.parametrize("name", ["adjusted", "mean", "dispersion"])
def test_consensus(name: str) -> None:
    result = consensus(RAW, list(PAPER_STUBBORNNESS.values()))
    np.testing.assert_allclose(getattr(result, name), expected(name), rtol=0, atol=PRINTED)


def test_fallback_score() -> None:
    result = consensus(RAW, list(PAPER_STUBBORNNESS.values()))
    np.testing.assert_allclose(result.mean - result.dispersion, expected("fallback"), rtol=0, atol=PRINTED)


def test_decisions() -> None:
    result = consensus(RAW, list(PAPER_STUBBORNNESS.values()))
    no_limit = 10.0
    mean_passes = passes(result.mean, result.dispersion, PAPER_TAU, no_limit)
    dispersion_passes = passes(result.mean, result.dispersion, -no_limit, PAPER_EPSILON)
    accepted = passes(result.mean, result.dispersion, PAPER_TAU, PAPER_EPSILON)
    assert mean_passes.tolist() == expected("mean_passes").tolist()
    assert dispersion_passes.tolist() == expected("dispersion_passes").tolist()
    assert accepted.tolist() == expected("accepted").tolist()


@pytest.mark.parametrize(
    ("statistic", "name"),
    [
        (Statistic.MEAN, "raw_mean"),
        (Statistic.DISPERSION, "raw_dispersion"),
        (Statistic.VARIANCE, "raw_variance"),
    ],
)
def test_raw_statistics(statistic: Statistic, name: str) -> None:
    values = profile(RAW[np.newaxis], Scores(), Missing.LAST, [statistic]).values[statistic][0]
    np.testing.assert_allclose(values, expected(name), rtol=0, atol=PRINTED)
