"""params.yaml is read strictly: every fault is named with file, key and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verdict_assets.config.params import load_params
from verdict_assets.errors import UserError

ROOT = Path(__file__).parents[3]


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str, str], Path]:
    """A project whose params.yaml has one text replaced by another."""

    def edit(old: str, new: str) -> Path:
        text = (ROOT / "params.yaml").read_text()
        assert text.count(old) == 1
        (tmp_path / "params.yaml").write_text(text.replace(old, new))
        return tmp_path

    return edit


def refusal(root: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_params(root)
    assert caught.value.where == "params.yaml"
    assert caught.value.remedy
    return caught.value.what


def test_the_defaults_are_those_of_the_paper() -> None:
    params = load_params(ROOT)
    assert dict(params.consensus.stubbornness) == {"visual": 1.5, "logical": 1.0, "contextual": 0.8}
    assert (params.consensus.tau, params.consensus.epsilon, params.candidates) == (0.6, 0.1, 3)
    assert (params.max_steps, params.max_blank, params.repeat_limit) == (40, 4, 3)
    assert params.missing == "last"


def test_the_mapping_is_what_the_file_says() -> None:
    mapping = load_params(ROOT).mapping()
    assert mapping["consensus"] == {
        "stubbornness": {"visual": 1.5, "logical": 1.0, "contextual": 0.8},
        "tau": 0.6,
        "epsilon": 0.1,
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  tau: 0.6", "  taus: 0.6", "consensus.taus: unknown key; known here: stubbornness, tau, epsilon"),
        ("  tau: 0.6", "  tau: high", "consensus.tau: 'high' is not a number"),
        ("  tau: 0.6", "  tau: 1e-4", "write it with a decimal point, like 0.0001"),
        ("  tau: 0.6", "  tau: true", "consensus.tau: True is not a number"),
        ("  tau: 0.6", "  tau: .nan", "consensus.tau: nan is not a number"),
        ("logical: 1.0", "logical: 0", "consensus.stubbornness.logical: 0 is not a number above 0"),
        ("candidates: 3", "candidates: 3.5", "candidates: 3.5 is not a whole number of at least 1"),
        ("missing: last", "missing: zero", "missing: 'zero' is not one of last, present"),
        ("  confidence: 0.95", "  confidence: 95", "statistics.confidence: 95 is not a number"),
        ("candidates: 3", "extra: 3", "candidates: missing; expected a whole number"),
        ("candidates: 3", "candidates: 3\nmax_steps: 2", "key 'max_steps' is given a second time"),
        ("candidates: 3", "candidates: [3", "not readable as YAML"),
    ],
)
def test_a_fault_is_named(edited: Callable[[str, str], Path], old: str, new: str, message: str) -> None:
    assert message in refusal(edited(old, new))


def test_all_faults_are_told_at_once(edited: Callable[[str, str], Path]) -> None:
    told = refusal(edited("  tau: 0.6", "  tau: -1\n  sigma: 2"))
    assert "consensus.tau" in told and "consensus.sigma" in told


def test_a_missing_part_is_told_once(edited: Callable[[str, str], Path]) -> None:
    told = refusal(edited("statistics:\n", "other:\n"))
    assert told.count("statistics") == 2  # that it is missing, and that it is a known key
    assert "statistics.confidence" not in told


def test_a_judge_alone_is_refused(edited: Callable[[str, str], Path]) -> None:
    told = refusal(edited("{visual: 1.5, logical: 1.0, contextual: 0.8}", "{visual: 1.5}"))
    assert "two or more judges" in told


def test_no_file_is_told(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path)


def test_a_file_that_is_no_mapping_is_told(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("- 1\n")
    assert "a mapping of keys to values is expected" in refusal(tmp_path)
