"""The store against a dictionary: in whatever portions answers come, the first one to a key wins."""

from __future__ import annotations

import tempfile
from pathlib import Path

from asking import PROVENANCE, answer, judged, step
from hypothesis import given, settings
from hypothesis import strategies as st

from verdict_assets.inference.request import Request, Response
from verdict_assets.inference.store import Layer, Store
from verdict_assets.inference.store.freeze import freeze

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=8)
REQUESTS = st.builds(
    step, st.integers(0, 1), st.sampled_from([None, "plan\n"]), st.integers(0, 2)
) | st.builds(judged, st.integers(0, 1), st.sampled_from(["", "a", "b"]), st.just("visual"))
COMMITS = st.lists(
    st.dictionaries(REQUESTS, st.sampled_from(["x", "y"]) | TEXT, min_size=1, max_size=6),
    min_size=1,
    max_size=4,
)


def expected(commits: list[dict[Request, str]]) -> tuple[dict[Request, Response], int]:
    first: dict[Request, Response] = {}
    divergences = 0
    for commit in commits:
        for request, text in commit.items():
            divergences += not first.setdefault(request, answer(text)).same_answer(answer(text))
    return first, divergences


@settings(deadline=None, max_examples=15)
@given(COMMITS, st.integers(1, 4))
def test_first_wins_and_nothing_is_lost(commits: list[dict[Request, str]], frozen_after: int) -> None:
    first, divergences = expected(commits)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        store = Store.open(open_layer=root / "open")
        for number, commit in enumerate(commits):
            if number == frozen_after:
                freeze(root / "frozen", [Layer(root / "open", frozen=False)], {})
            store.commit([(request, answer(text)) for request, text in commit.items()], PROVENANCE, "run")
        reopened = Store.open([root / "frozen"], root / "open")
        made = freeze(root / "all", [Layer(root / "open", frozen=False)], {})
        for opened in (store, reopened, Store.open([root / "all"])):
            assert {request: opened.get(request) for request in first} == first
            assert len(opened) == len(first)
        assert len(store.divergences) == len(reopened.divergences) == made.divergent == divergences
