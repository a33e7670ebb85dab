"""The built wheel holds what the package needs: prompts, schemas, templates; and it works once installed."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import verdict_assets
from verdict_assets.schemas.catalogue import TABLES

ROOT = Path(__file__).parents[3]
READ_DATA = """
from importlib.resources import files
from verdict_assets.inference.prompts import load_prompt
from verdict_assets.schemas.table import ddl
import verdict_assets, sys
assert load_prompt("scenes/visual.txt").judges
assert files("verdict_assets.reporting.pages").joinpath("index.html.jinja").is_file()
print(verdict_assets.__version__, verdict_assets.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, without an index, by the setuptools of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (source / name).write_bytes((ROOT / name).read_bytes())
    for file in (ROOT / "verdict_assets").rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            target = source / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
    ]
    subprocess.run([*command, "--wheel-dir", str(folder), str(source)], check=True)
    return next(folder.glob("*.whl"))


def test_it_holds_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("verdict_assets/")}
    there = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "verdict_assets").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert packed == there
    assert {f"verdict_assets/schemas/{name}.py" for name in TABLES} <= packed


def test_it_carries_the_licence_and_the_console_script(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        entries = {Path(name).name: name for name in archive.namelist() if ".dist-info/" in name}
        assert "verdict_assets.cli.main:main" in archive.read(entries["entry_points.txt"]).decode()
        assert "MIT" in archive.read(entries["LICENSE"]).decode()


def test_installed_it_finds_prompts_schemas_and_templates(wheel: Path, tmp_path: Path) -> None:
    """In a new environment that sees this one's other packages, but not the source tree."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site = next(home.glob("lib/python*/site-packages"))
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(site),
    ]
    subprocess.run([*install, str(wheel)], check=True)
    others = [folder for folder in sys.path if folder.endswith("site-packages")]
    # Appended behind the new environment's own folder; .pth files of editable installs are not read this way.
    (site / "others.pth").write_text("\n".join(others) + "\n")
    done = subprocess.run(
        [python, "-I", "-c", READ_DATA], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    version, place = done.stdout.split()
    assert version == verdict_assets.__version__
    assert Path(place).is_relative_to(home)
    script = subprocess.run(
        [python, "-I", "-m", "verdict_assets.cli", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert script.stdout == f"verdict {version}\n"
