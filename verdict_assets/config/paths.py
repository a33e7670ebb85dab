"""Where the files of a project lie: one object that knows the root and names every data path under it.

Belongs here: names of folders and files. Does not: reading, writing or checking what they hold.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.errors import UserError

ROOT_VARIABLE = "VERDICT_ROOT"
MARKER = "params.yaml"


@dataclass(frozen=True, slots=True)
class Project:
    """A checkout of the project, or any folder laid out like one."""

    root: Path

    @property
    def params(self) -> Path:
        """What can change a number and is shared by all studies."""
        return self.root / MARKER

    @property
    def studies(self) -> Path:
        """One YAML file a study."""
        return self.root / "studies"

    @property
    def data(self) -> Path:
        """All data, versioned and derived."""
        return self.root / "data"

    @property
    def weights(self) -> Path:
        """Model folders, one a model id, in git."""
        return self.data / "weights"

    @property
    def recorded(self) -> Path:
        """The recorded run that ships with the project."""
        return self.data / "recorded"

    @property
    def recorded_store(self) -> Path:
        """The frozen layer of the recorded run, in git and read-only."""
        return self.recorded / "store"

    @property
    def layers(self) -> Path:
        """Further frozen layers, a folder each, which DVC keeps: git has `<name>.dvc` beside the folder."""
        return self.data / "layers"

    @property
    def benchmarks(self) -> Path:
        """Question files with their pictures, one a benchmark."""
        return self.recorded / "benchmarks"

    @property
    def open_layer(self) -> Path:
        """The one layer that takes new responses; ignored by git."""
        return self.data / "store" / "open"

    @property
    def tables(self) -> Path:
        """Derived tables as Parquet; may be deleted at any time."""
        return self.data / "tables"

    @property
    def warehouse(self) -> Path:
        """The DuckDB file with every table; may be deleted at any time."""
        return self.data / "warehouse" / "verdict.duckdb"

    @property
    def reports(self) -> Path:
        """The report and the ledger of its numbers."""
        return self.root / "reports"

    def table(self, name: str) -> Path:
        """The file of an unpartitioned table."""
        return self.tables / f"{name}.parquet"

    def partition(self, name: str, study: str, benchmark: str) -> Path:
        """The file of one (study, benchmark) partition of a table."""
        return self.tables / name / f"{study}__{benchmark}.parquet"


def find_project(start: Path | None = None) -> Project:
    """The project to work on: `VERDICT_ROOT` if set, else the nearest folder upwards that has a params.yaml.

    Raises:
        UserError: there is none, or the variable names a folder that is not a project.
    """
    named = os.environ.get(ROOT_VARIABLE)
    if named:
        root = Path(named).resolve()
        if not (root / MARKER).is_file():
            raise UserError(
                f"no {MARKER} in that folder",
                where=f"{ROOT_VARIABLE}={named}",
                remedy="name a project's root folder",
            )
        return Project(root)
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / MARKER).is_file():
            return Project(folder)
    raise UserError(
        f"no {MARKER} in this folder or above it",
        where=str(here),
        remedy=f"run inside a clone of the project, or set {ROOT_VARIABLE} to one",
    )
