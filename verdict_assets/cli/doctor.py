"""`verdict doctor`: what is damaged, what was repaired, what is lost.

Belongs here: the list of checks and the report. Does not: what a check does (store layers:
`inference/store/doctor.py`; Dagster's pools: `orchestration/slots.py`).
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from verdict_assets.config.paths import Project, find_project
from verdict_assets.config.versioned import pointed
from verdict_assets.errors import UserError
from verdict_assets.inference.layers import project_layers
from verdict_assets.inference.store.doctor import Finding, Outcome, examine

NAME = "doctor"
HELP = "find damage, repair what can be repaired, name what is lost (exit 1 if anything is)"

Check = Callable[[Project, bool], list[Finding]]
"""Looks at one part of a project; the flag says whether it may repair."""


def _store_layers(project: Project, repair: bool) -> list[Finding]:
    further = [recorded.path for recorded in pointed(project.layers)]
    return examine([project.recorded_store, *further], project.open_layer, repair)


def _layers_that_git_names(project: Project, _: bool) -> list[Finding]:
    """A layer that is missing, or is not the one in git, can only come back from where it is kept."""
    try:
        project_layers(project)
    except UserError as error:
        return [Finding(Outcome.LOST, Path(error.where or project.layers), f"{error.what}; {error.remedy}")]
    return []


def _pools(project: Project, repair: bool) -> list[Finding]:
    from verdict_assets.orchestration.slots import lost_runs  # Dagster takes a second to load

    return [
        Finding(
            Outcome.REPAIRED,
            project.root / "dagster.yaml",
            f"run {run.run_id} is under way, but its process {run.process} is gone"
            + "".join(f"; it held a slot of pool {pool}" for pool in run.pools),
        )
        for run in lost_runs(project.root, free=repair)
    ]


CHECKS: tuple[Check, ...] = (_store_layers, _layers_that_git_names, _pools)


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
