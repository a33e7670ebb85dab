"""Hashes as DVC computes them."""

from pathlib import Path

import pytest

from verdict_assets.errors import UserError
from verdict_assets.reporting.audit.dvc_lock import FILE, md5_of, read


def test_the_hash_of_a_folder_is_dvcs(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b" / "c.txt").write_text("two")
    assert md5_of(tmp_path / "a.txt") == "f97c5d29941bfb1b2fdab0874906ab82"
    assert md5_of(tmp_path) == "9ac7ba4a4409640ebaa596b7fe84d343.dir"


def test_outputs_by_path(tmp_path: Path) -> None:
    assert read(tmp_path) == {}
    (tmp_path / FILE).write_text("stages: {one: {cmd: x, outs: [{path: data, md5: ab.dir}]}, two: {cmd: y}}")
    assert read(tmp_path) == {"data": "ab.dir"}
    (tmp_path / FILE).write_text("stages: [")
    with pytest.raises(UserError, match=r"git checkout -- dvc\.lock"):
        read(tmp_path)
