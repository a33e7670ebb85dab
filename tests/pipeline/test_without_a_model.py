"""`recompute` imports no engine, and runs as its users start it: by name, without a tag."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from verdict_assets.config.paths import Project

BLOCKED = (
    "torch",
    "transformers",
    "vllm",
    "openai",
    "verdict_assets.inference.engines.local",
    "verdict_assets.inference.engines.transformers_engine",
    "verdict_assets.inference.engines.openai_client",
    "verdict_assets.inference.engines.vllm_server",
)
WITHOUT = f"""
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if any(name == blocked or name.startswith(blocked + ".") for blocked in {BLOCKED!r}):
            raise AssertionError(f"{{name}} was imported")

sys.meta_path.insert(0, Block())
from verdict_assets.definitions import defs
result = defs.resolve_job_def("recompute").execute_in_process(
    run_config={{"loggers": {{"console": {{"config": {{"log_level": "ERROR"}}}}}}}}
)
assert result.success
loaded = [name for name in sys.modules if name in {BLOCKED!r}]
assert not loaded, loaded
"""


def environment(project: Project, home: Path) -> dict[str, str]:
    home.mkdir(exist_ok=True)
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    return {**os.environ, "VERDICT_ROOT": str(project.root), "DAGSTER_HOME": str(home)}


def test_recompute_imports_no_engine(closed: Project, tmp_path: Path) -> None:
    closed.table("outcomes").unlink()  # so that there is something to compute
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(
        command,
        env=environment(closed, tmp_path / "home"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert closed.table("outcomes").is_file()


@pytest.mark.parametrize(("job", "config"), [("recompute", "recompute.yaml"), ("everything", "replay.yaml")])
def test_the_documented_commands_need_no_tag(closed: Project, tmp_path: Path, job: str, config: str) -> None:
    examples = Path(__file__).parents[2] / "examples"
    command = [
        sys.executable, "-m", "dagster", "job", "execute", "-m", "verdict_assets.definitions",
        "-j", job, "-c", str(examples / config),
    ]  # fmt: skip
    done = subprocess.run(
        command,
        env=environment(closed, tmp_path / "home"),
        cwd=closed.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "main_comparison: 16 rows, reused" in done.stdout + done.stderr
