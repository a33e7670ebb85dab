"""The verbs parse-scores, freeze and doctor, as the shell sees them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from asking import answer, step, stored

from verdict_assets.cli.main import main
from verdict_assets.cli.parse_scores import parse_lines
from verdict_assets.errors import UserError
from verdict_assets.inference.store import Store


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "params.yaml").write_text("tau: 0.6\n")
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "main.yaml").write_text("name: main\n")
    monkeypatch.setenv("VERDICT_ROOT", str(tmp_path))
    return tmp_path


def test_parse_scores_keeps_order_and_other_fields() -> None:
    out = io.StringIO()
    lines = [
        b'{"text": "0.8", "finish_reason": "stop", "id": 7}\n',
        b"\n",
        b'{"text": "0.", "finish_reason": "length"}\n',
        '{"text": "nicht lösbar \\ud83d", "finish_reason": "stop"}'.encode(),
    ]
    parse_lines(lines, out)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(row["score"], row["reason"]) for row in rows] == [
        (0.8, None),
        (None, "truncated"),
        (None, "not_a_number"),
    ]
    assert rows[0]["id"] == 7


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"0.8", "not a JSON object"),
        (b"{", "not JSON"),
        (b'{"text": "0.8"}', "no field 'finish_reason'"),
        (b'{"finish_reason": "stop"}', "no field 'text'"),
        (b'{"text": 0.8, "finish_reason": "stop"}', "'text' is not text"),
        (b'{"text": "0.8", "finish_reason": null}', "'finish_reason' is not text"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_parse_scores_refuses_bad_lines_by_number(line: bytes, why: str) -> None:
    out = io.StringIO()
    good = b'{"text": "1", "finish_reason": "stop"}\n'
    with pytest.raises(UserError, match=rf"lines refused \(1\):\n  line 2: .*{why}"):
        parse_lines([good, line, good], out)
    assert len(out.getvalue().splitlines()) == 2


def test_freeze_and_check(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(project / "data" / "store" / "open", (step(), answer()), (step(draw=1), answer()))
    assert main(["freeze"]) == 0
    assert "froze 2 answers in 1 shards" in capsys.readouterr().out
    recorded = project / "data" / "recorded" / "store"
    assert len(Store.open([recorded])) == 2
    beside = json.loads((recorded / "manifest.json").read_text())["beside"]
    assert {"params.yaml", "studies/main.yaml"} <= beside.keys()
    assert main(["freeze", "--check"]) == 0
    (project / "params.yaml").write_text("tau: 0.7\n")
    assert main(["freeze", "--check"]) == 0
    assert "note: params.yaml: was changed" in capsys.readouterr().out
    [shard] = recorded.glob("shard-*")
    shard.write_bytes(shard.read_bytes()[:-1])
    assert main(["freeze", "--check"]) == 2
    assert "git checkout" in capsys.readouterr().err


def test_freeze_to_another_layer(project: Path, tmp_path: Path) -> None:
    stored(project / "mine", (step(), answer()))
    assert main(["freeze", "--from", str(project / "mine"), "--to", str(project / "layer")]) == 0
    assert len(Store.open([project / "layer"])) == 1
    assert main(["freeze", "--from", str(project / "absent"), "--to", str(project / "layer")]) == 2


def test_freeze_of_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["freeze"]) == 2
    assert "nothing to freeze" in capsys.readouterr().err


def test_doctor(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "nothing is damaged" in capsys.readouterr().out
    shard = stored(project / "data" / "store" / "open", (step(), answer()))
    shard.write_bytes(b"torn")
    assert main(["doctor", "--dry-run"]) == 1
    assert shard.exists()
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert f"lost     data/store/open/{shard.name}" in out
    assert "0 repaired, 1 lost" in out
    assert main(["doctor"]) == 0
