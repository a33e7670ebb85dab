"""What every asset is given: the project's folder, its parameters and its studies, read once a run.

Belongs here: reading the configuration of a project, and which layers its store has. Does not: what is made
of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from verdict_assets.config.params import Params, load_params
from verdict_assets.config.paths import Project
from verdict_assets.config.studies import StudySpec, load_studies


@dataclass(frozen=True, slots=True)
class Setting:
    """A project as configured."""

    project: Project
    params: Params
    studies: Mapping[str, StudySpec]

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Every benchmark that a study uses, sorted."""
        return tuple(sorted({benchmark for study in self.studies.values() for benchmark in study.benchmarks}))

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every (study, benchmark) that a study declares, sorted."""
        return tuple(
            sorted((study.name, name) for study in self.studies.values() for name in study.benchmarks)
        )


def read_setting(project: Project) -> Setting:
    """Read params.yaml and studies/.

    Raises:
        UserError: a file is missing or wrong.
    """
    return Setting(project, load_params(project.root), load_studies(project.root))
