"""The entry point: verbs are found, described and fail in words."""

import subprocess
import sys
from pathlib import Path

import pytest

from verdict_assets import __version__
from verdict_assets.cli.main import VERBS, load_verb, main

FOLDER = Path(sys.modules[main.__module__].__file__ or "").parent


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"verdict {__version__}\n"


def test_help_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in VERBS)


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_whole(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    verb = load_verb(name)
    assert name == verb.NAME
    assert verb.HELP
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert f"verdict {name}" in capsys.readouterr().out


def test_every_file_that_is_a_verb_is_listed() -> None:
    files = {path.stem for path in FOLDER.glob("*.py") if "\nNAME = " in path.read_text()}
    assert files == {name.replace("-", "_") for name in VERBS}


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["--unknown"]])
def test_what_is_not_a_verb_ends_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2


def test_an_error_of_the_user_is_told_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "nothing_of_that_name"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("verdict show: there is no table 'nothing_of_that_name'")
    assert "main_comparison" in told.err


def test_a_quick_verb_imports_nothing_slow() -> None:
    code = (
        "import sys; from verdict_assets.cli import main; main.main(['consensus', '.9', '.3', '.9']); "
        "slow = {'dagster', 'torch', 'pandas', 'duckdb'} & set(sys.modules); assert not slow, slow"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
