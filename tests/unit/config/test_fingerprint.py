"""What changes a fingerprint and what does not."""

import hashlib
from pathlib import Path

import pytest

from verdict_assets.config import fingerprint as under_test
from verdict_assets.config.fingerprint import file_hashes, fingerprint, leaves, sources


def test_the_order_of_keys_does_not_matter() -> None:
    assert fingerprint({"a": 1, "b": [1, 2]}) == fingerprint({"b": [1, 2], "a": 1})


@pytest.mark.parametrize(
    "other", [{"a": 1, "b": [2, 1]}, {"a": 1.5, "b": [1, 2]}, {"a": 1}, {"a": "1", "b": [1, 2]}]
)
def test_any_other_value_does(other: dict[str, object]) -> None:
    assert fingerprint({"a": 1, "b": [1, 2]}) != fingerprint(other)


def test_what_has_no_one_encoding_is_refused() -> None:
    with pytest.raises(ValueError):
        fingerprint({"a": float("nan")})
    with pytest.raises(TypeError):
        fingerprint({"a": {1, 2}})


def test_a_file_is_known_by_its_bytes_and_its_place(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    assert file_hashes([tmp_path / "a"], tmp_path) == {"a": hashlib.sha256(b"x").hexdigest()}


def test_every_value_of_a_configuration_has_a_path() -> None:
    nested = {"a": {"b": 1, "c": None}, "judges": ({"name": "x", "seed": 0},), "d": ("e", "f"), "g": []}
    flat = {"a.b": 1, "a.c": None, "judges.x.name": "x", "judges.x.seed": 0, "d": ["e", "f"], "g": []}
    assert leaves(nested) == flat
    with pytest.raises(TypeError, match="h is a set"):
        leaves({"h": {1}})


def test_the_source_of_a_module_includes_what_it_imports() -> None:
    found = sources(["verdict_assets.analysis.consensus"])
    assert {"verdict_assets.analysis.consensus", "verdict_assets.verification.consensus"} <= found.keys()
    assert "verdict_assets.analysis" in found  # the package runs first
    assert not any(
        name.startswith(("verdict_assets.orchestration", "verdict_assets.rollout")) for name in found
    )
    assert list(found) == sorted(found)


def test_a_module_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        sources(["verdict_assets.nowhere"])


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of four modules in the place of ours; `far` is imported by nobody."""
    files = {
        "__init__.py": "",
        "top.py": "import os\nfrom verdict_assets import middle\n",
        "middle.py": "def f():\n    from verdict_assets.deep.below import x\n    return x\n",
        "deep/__init__.py": "",
        "deep/below.py": "import verdict_assets.top\nx = 1\n",
        "far.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(under_test, "_FOLDER", tmp_path)
    monkeypatch.setattr(under_test, "_read", under_test._read.__wrapped__)
    return tmp_path


def test_imports_are_followed_through_functions_and_circles(package: Path) -> None:
    assert set(sources(["verdict_assets.top"])) == {
        "verdict_assets", "verdict_assets.top", "verdict_assets.middle", "verdict_assets.deep",
        "verdict_assets.deep.below",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "moves"), [("deep/below.py", True), ("middle.py", True), ("far.py", False)])
def test_only_what_is_used_counts(package: Path, name: str, moves: bool) -> None:
    before = sources(["verdict_assets.top"])
    (package / name).write_text((package / name).read_text() + "\n# a remark\n")
    assert (sources(["verdict_assets.top"]) != before) is moves
