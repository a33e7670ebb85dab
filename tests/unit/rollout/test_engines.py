"""Opening an engine by name: what is missing is told, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.replay import ReplayEngine
from verdict_assets.inference.store import Store
from verdict_assets.rollout.engines import EngineChoice, open_engine


def test_replay_is_the_default_and_needs_nothing(tmp_path: Path) -> None:
    assert isinstance(open_engine(EngineChoice(), tmp_path, [], Store.open()), ReplayEngine)


@pytest.mark.parametrize(
    ("choice", "what", "remedy"),
    [
        (EngineChoice("magic"), "there is no engine 'magic'", "replay, transformers, openai"),
        (EngineChoice("openai"), "needs the address of a server", "http://127.0.0.1:8000/v1"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, choice: EngineChoice, what: str, remedy: str) -> None:
    with pytest.raises(UserError) as caught:
        open_engine(choice, tmp_path, [], Store.open())
    assert what in caught.value.what
    assert caught.value.remedy is not None and remedy in caught.value.remedy
