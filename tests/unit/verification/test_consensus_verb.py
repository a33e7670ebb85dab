"""`verdict consensus` as its user sees it."""

import json
from pathlib import Path

import pytest

from verdict_assets.cli.main import main

PARAMS = Path(__file__).parents[3] / "params.yaml"


@pytest.fixture(autouse=True)
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder that belongs to no project."""
    monkeypatch.delenv("VERDICT_ROOT", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["consensus", *arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["consensus", *arguments]) == 2
    return capsys.readouterr().err


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "0.9", "0.3", "0.9")
    for part in ("0.803833", "0.544599", "0.774564", "0.707666", "0.108711"):
        assert part in text
    assert "mean > tau:  0.707666 > 0.6?  yes" in text
    assert "dispersion < epsilon:  0.108711 < 0.1?  no" in text
    assert "not accepted (dispersion)" in text
    assert "mean - dispersion = 0.598955" in text
    assert "of the paper" in text


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(shown(capsys, "0.7", "0.6", "0.7", "--json"))
    assert found["adjusted"] == pytest.approx([0.6839721254, 0.6407665505, 0.6790940767])
    assert found["mean"] == pytest.approx(0.6679442509)
    assert found["dispersion"] == pytest.approx(0.0181184669)
    assert found["fallback_score"] == pytest.approx(0.6498257840)
    assert found["raw_mean"] == pytest.approx(2 / 3)
    assert [comparison["passes"] for comparison in found["comparisons"]] == [True, True]
    assert found["accepted"] is True


def test_options(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["0.9", "0.3", "--stubbornness", "1,2", "--tau", "0.5", "--epsilon", "0.2", "--json"]
    found = json.loads(shown(capsys, *arguments))
    assert found["stubbornness"] == [1.0, 2.0]
    assert (found["tau"], found["epsilon"]) == (0.5, 0.2)
    assert found["adjusted"] == pytest.approx([0.66, 0.42])
    assert found["accepted"] is True


def test_equality_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "0.600000 > 0.6?  no, equal does not pass" in shown(capsys, "0.6", "0.6", "0.6")


def test_a_hair_beside_the_limit_is_shown_with_more_digits(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "0.9", "0.3", "0.9", "--epsilon", "0.1087108")
    assert "0.1087108014 < 0.1087108?  no" in text


def test_defaults_of_the_project_around_us(outside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = PARAMS.read_text(encoding="utf-8").replace("tau: 0.6", "tau: 0.9")
    (outside / "params.yaml").write_text(changed, encoding="utf-8")
    text = shown(capsys, "0.8", "0.8", "0.8")
    assert "0.800000 > 0.9?  no" in text
    assert "of params.yaml" in text
    assert "> 0.7?  yes" in shown(capsys, "0.8", "0.8", "0.8", "--tau", "0.7")


def test_a_root_named_in_vain_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERDICT_ROOT", "nowhere")
    assert "VERDICT_ROOT=nowhere" in refused(capsys, "0.5", "0.5", "0.5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1.2", "0.3", "0.3"], "must lie in [0, 1], not 1.2"),
        (["nan", "0.3", "0.3"], "must lie in [0, 1], not nan"),
        (["0.9"], "two or more judges"),
        (["0.9", "0.3"], "2 scores do not fit 3 stubbornness values"),
        (["0.9", "0.3", "--stubbornness", "1,0"], "positive and finite"),
        (["0.9", "0.3", "0.9", "--tau", "nan"], "tau must be a number"),
    ],
)
def test_refusals(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refused(capsys, *arguments)


def test_all_faults_are_named_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, "1.2", "0.3", "--stubbornness", "1,-1,1")
    assert "must lie in" in text
    assert "do not fit" in text
    assert "positive" in text
    assert "what to do" in text


@pytest.mark.parametrize("arguments", [["0.5", "x"], ["0.5", "0.5", "--stubbornness", "1,a"]])
def test_what_is_not_a_number_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["consensus", *arguments])
    assert exit_.value.code == 2
