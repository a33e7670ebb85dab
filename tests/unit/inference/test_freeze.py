from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from asking import BASE, PROVENANCE, answer, judged, step, stored

from verdict_assets.errors import UserError
from verdict_assets.inference.request import Finish, Request, Response
from verdict_assets.inference.store import DamagedStore, Layer, Store
from verdict_assets.inference.store import freeze as module
from verdict_assets.inference.store.doctor import Outcome, examine
from verdict_assets.inference.store.freeze import check, freeze

ANSWERS: list[tuple[Request, Response]] = [
    (step(q, prefix=prefix, draw=k), answer(f"{q} {prefix} {k}", logprob=-0.1 * k))
    for q in range(4)
    for prefix in (None, "plan\n", " plan\n")
    for k in range(3)
] + [
    (judged(q, f"candidate {c}", rubric), answer(f"0.{c}", Finish.EOS))
    for q in range(4)
    for c in range(3)
    for rubric in ("visual", "logical")
]


def opened(path: Path) -> list[Layer]:
    return [Layer(path, frozen=False)]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_equal_content_has_equal_bytes(tmp_path: Path) -> None:
    """Whatever the order and the size of the commits."""
    stored(tmp_path / "one", *ANSWERS)
    for start in range(0, len(ANSWERS), 7):
        stored(tmp_path / "many", *reversed(ANSWERS[start : start + 7]))
    freeze(tmp_path / "a", opened(tmp_path / "one"), {"params.yaml": "p"})
    freeze(tmp_path / "b", opened(tmp_path / "many"), {"params.yaml": "p"})
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert len(contents(tmp_path / "a")) == 2


def test_in_steps_or_at_once(tmp_path: Path) -> None:
    stored(tmp_path / "first", *ANSWERS[:20])
    stored(tmp_path / "second", *ANSWERS[20:])
    freeze(tmp_path / "steps", opened(tmp_path / "first"), {})
    freeze(tmp_path / "steps", opened(tmp_path / "second"), {})
    freeze(tmp_path / "once", opened(tmp_path / "first") + opened(tmp_path / "second"), {})
    assert contents(tmp_path / "steps") == contents(tmp_path / "once")


def test_every_answer_survives(tmp_path: Path) -> None:
    stored(tmp_path / "open", *ANSWERS)
    made = freeze(tmp_path / "frozen", opened(tmp_path / "open"), {})
    store = Store.open([tmp_path / "frozen"])
    assert [store.get(request) for request, _ in ANSWERS] == [response for _, response in ANSWERS]
    assert len(store) == made.manifest.responses == len(ANSWERS)
    assert store.provenance_of(ANSWERS[0][0]) == PROVENANCE


def test_the_first_answer_is_frozen(tmp_path: Path) -> None:
    stored(tmp_path / "open", (step(), answer("first")), (step(draw=1), answer()))
    stored(tmp_path / "open", (step(), answer("second")), run_id="run-2")
    assert freeze(tmp_path / "frozen", opened(tmp_path / "open"), {}).divergent == 1
    assert Store.open([tmp_path / "frozen"]).get(step()) == answer("first")
    stored(tmp_path / "later", (step(), answer("third")), (step(draw=2), answer()))
    made = freeze(tmp_path / "frozen", opened(tmp_path / "later"), {})
    assert made.divergent == 1
    store = Store.open([tmp_path / "frozen"])
    assert store.get(step()) == answer("first")
    assert len(store) == 3


def test_a_second_freeze_changes_nothing(tmp_path: Path) -> None:
    stored(tmp_path / "open", *ANSWERS)
    assert freeze(tmp_path / "frozen", opened(tmp_path / "open"), {}).changed
    before = {path: path.stat().st_ino for path in (tmp_path / "frozen").iterdir()}
    assert not freeze(tmp_path / "frozen", opened(tmp_path / "open"), {}).changed
    assert {path: path.stat().st_ino for path in (tmp_path / "frozen").iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["frozen", "open"]


def test_several_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GROUPS_PER_SHARD", 7)
    stored(tmp_path / "open", *ANSWERS)
    made = freeze(tmp_path / "frozen", opened(tmp_path / "open"), {})
    assert [entry.groups for entry in made.manifest.shards.values()] == [7, 7, 6]
    assert len(Store.open([tmp_path / "frozen"])) == len(ANSWERS)


def test_damaged_sources_are_refused_and_the_target_stays(tmp_path: Path) -> None:
    stored(tmp_path / "open", *ANSWERS)
    freeze(tmp_path / "frozen", opened(tmp_path / "open"), {})
    before = contents(tmp_path / "frozen")
    shard = stored(tmp_path / "open", (step(9), answer()))
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(DamagedStore):
        freeze(tmp_path / "frozen", opened(tmp_path / "open"), {})
    assert contents(tmp_path / "frozen") == before


def test_nothing_to_freeze(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing to freeze"):
        freeze(tmp_path / "frozen", opened(tmp_path / "open"), {})
    assert list(tmp_path.iterdir()) == []


def test_check(tmp_path: Path) -> None:
    stored(tmp_path / "open", *ANSWERS)
    beside = {"prompts/scenes/base.txt": "a", "params.yaml": "b"}
    freeze(tmp_path / "frozen", opened(tmp_path / "open"), beside)
    assert check(tmp_path / "frozen", beside) == ([], [])
    faults, differences = check(tmp_path / "frozen", {"params.yaml": "c"})
    assert faults == []
    assert differences == [
        "params.yaml: was changed since the answers were recorded",
        "prompts/scenes/base.txt: is missing since the answers were recorded",
    ]


def test_the_manifest_says_what_there_is(tmp_path: Path) -> None:
    stored(tmp_path / "open", *ANSWERS)
    freeze(tmp_path / "frozen", opened(tmp_path / "open"), {"params.yaml": "b"})
    manifest = json.loads((tmp_path / "frozen" / "manifest.json").read_text())
    [(name, entry)] = manifest["shards"].items()
    assert entry["size"] == (tmp_path / "frozen" / name).stat().st_size
    assert (entry["groups"], entry["responses"]) == (20, len(ANSWERS))
    assert manifest["beside"] == {"params.yaml": "b"}


@pytest.mark.parametrize("renames", [0, 1])
def test_killed_during_the_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int) -> None:
    """A kill is played by an exception that nothing catches; the leftovers are those of a dead process."""
    stored(tmp_path / "open", *ANSWERS[:9])
    freeze(tmp_path / "frozen", opened(tmp_path / "open"), {})
    before = contents(tmp_path / "frozen")
    stored(tmp_path / "open", *ANSWERS[9:])
    rename, done = Path.rename, []

    def dying(self: Path, target: Path) -> Path:
        if self.is_dir():
            if len(done) == renames:
                raise KeyboardInterrupt
            done.append(self)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", dying)
    with pytest.raises(KeyboardInterrupt):
        freeze(tmp_path / "frozen", opened(tmp_path / "open"), {})
    monkeypatch.undo()
    outcomes = [finding.outcome for finding in examine([tmp_path / "frozen"], tmp_path / "open")]
    assert outcomes == [Outcome.REPAIRED] * renames
    assert contents(tmp_path / "frozen") == before
    assert freeze(tmp_path / "frozen", opened(tmp_path / "open"), {}).manifest.responses == len(ANSWERS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["frozen", "open"]


def test_what_a_killed_freeze_was_building_is_removed(tmp_path: Path) -> None:
    dead = 2**22 - 1
    with pytest.raises(ProcessLookupError):
        os.kill(dead, 0)
    stored(tmp_path / "open", (step(setup=BASE), answer()))
    freeze(tmp_path / "frozen", opened(tmp_path / "open"), {})
    own = module.new_temporary(tmp_path, ".layer")
    left = tmp_path / own.name.replace(f"-{os.getpid()}-", f"-{dead}-")
    left.mkdir()
    assert [finding.where for finding in examine([tmp_path / "frozen"], tmp_path / "open")] == [left]
    assert not left.exists()
