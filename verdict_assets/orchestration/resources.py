"""What every asset is handed by Dagster: the project it works on, and how it tells a user's error.

Belongs here: small configurable values. Does not: asset logic, or anything that can change a number (that
stands in params.yaml and studies/).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from verdict_assets.config.paths import Project, find_project
from verdict_assets.errors import UserError
from verdict_assets.orchestration.setting import Setting, read_setting


class ProjectResource(dg.ConfigurableResource):
    """The project's root folder; by default the one found from the working directory."""

    root: str | None = None

    def setting(self) -> Setting:
        """The project as configured now."""
        return read_setting(Project(Path(self.root)) if self.root else find_project())


@contextmanager
def told_to_the_user() -> Iterator[None]:
    """Turns an error that is the user's to mend into a failure whose text says how, without retries."""
    try:
        yield
    except UserError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from error
