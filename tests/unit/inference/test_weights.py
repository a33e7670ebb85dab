"""The identity of a model folder."""

import json
from pathlib import Path

import pytest

from verdict_assets.errors import UserError
from verdict_assets.inference.weights import identify


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "model"
    made.mkdir()
    (made / "config.json").write_text("{}")
    (made / "tokenizer.json").write_text('{"a": 1}')
    (made / "chat_template.jinja").write_text("{{ messages }}")
    (made / "model.safetensors").write_bytes(b"\x00\x01")
    return made


@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer.json", "chat_template.jinja", "model.safetensors"]
)
def test_every_file_counts(folder: Path, name: str) -> None:
    before = identify(folder)
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    after = identify(folder)
    assert after.revision != before.revision
    assert (after.tokenizer != before.tokenizer) == (name == "tokenizer.json")
    assert (after.template != before.template) == (name == "chat_template.jinja")


def test_names_count_and_the_place_does_not(folder: Path, tmp_path: Path) -> None:
    before = identify(folder)
    moved = folder.rename(tmp_path / "elsewhere")
    assert identify(moved) == before
    (moved / "config.json").rename(moved / "other.json")
    (moved / "config.json").write_text("{}")
    assert identify(moved).revision != before.revision


def test_words_about_the_model_do_not_count(folder: Path) -> None:
    before = identify(folder)
    (folder / "README.md").write_text("A card.")
    (folder / ".cache").mkdir()
    (folder / ".cache" / "x.json").write_text("{}")
    assert identify(folder) == before


def test_the_template_may_stand_in_the_tokenizers_configuration(folder: Path) -> None:
    before = identify(folder)
    (folder / "chat_template.jinja").unlink()
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages }}"}))
    assert identify(folder).template == before.template


def test_all_that_is_missing_is_named(folder: Path) -> None:
    for name in ("tokenizer.json", "chat_template.jinja", "model.safetensors"):
        (folder / name).unlink()
    with pytest.raises(UserError) as caught:
        identify(folder)
    assert all(word in str(caught.value) for word in ("tokenizer.json", "safetensors", "chat_template"))
    with pytest.raises(UserError, match="no such model folder"):
        identify(folder / "nothing")
