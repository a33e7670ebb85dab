"""`verdict doctor`: what is damaged, what was repaired, what is lost.

Belongs here: the list of checks and the report. Does not: what a check does (store layers:
`inference/store/doctor.py`; Dagster's pools: `orchestration/slots.py`).
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from verdict_assets.config.paths import Project, find_project
from verdict_assets.inference.store.doctor import Finding, Outcome, examine

NAME = "doctor"
HELP = "find damage, repair what can be repaired, name what is lost (exit 1 if anything is)"

Check = Callable[[Project, bool], list[Finding]]
"""Looks at one part of a project; the flag says whether it may repair."""


def _store_layers(project: Project, repair: bool) -> list[Finding]:
    return examine([project.recorded_store], project.open_layer, repair)


def _pools(project: Project, repair: bool) -> list[Finding]:
    from verdict_assets.orchestration.slots import stuck_runs  # Dagster takes a second to load

    return [
        Finding(
            Outcome.REPAIRED,
            project.root / "dagster.yaml",
            f"run {run.run_id} held a slot of pool {run.pool}, but its process {run.process} is gone",
        )
        for run in stuck_runs(project.root, free=repair)
    ]


CHECKS: tuple[Check, ...] = (_store_layers, _pools)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Whether to repair."""
    parser.add_argument("--dry-run", action="store_true", help="say what would be done and touch nothing")


def run(args: argparse.Namespace) -> int:
    """Run all checks and report; 1 when something is lost."""
    project = find_project()
    repair = not args.dry_run
    findings = [finding for check in CHECKS for finding in check(project, repair)]
    for finding in findings:
        print(f"{finding.outcome.value:8s} {_shown(finding.where, project)}: {finding.what}")
    lost = sum(finding.outcome is Outcome.LOST for finding in findings)
    repaired = len(findings) - lost
    if not findings:
        print("nothing is damaged")
        return 0
    print(f"{repaired} {'repaired' if repair else 'to repair'}, {lost} lost")
    return 1 if lost else 0


def _shown(path: Path, project: Project) -> Path:
    return path.relative_to(project.root) if path.is_relative_to(project.root) else path
