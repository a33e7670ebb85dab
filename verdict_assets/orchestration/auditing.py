"""A project as an audit sees it: what was reported and recorded, what has changed since, tables made afresh.

Belongs here: bringing together the record, the present state and tables computed in memory. Does not: what
follows from them (reporting/audit), printing (cli/audit.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from verdict_assets.config.paths import Project
from verdict_assets.errors import UserError
from verdict_assets.inference.request import Request
from verdict_assets.orchestration.afresh import Afresh, compute, ledger_rows, only
from verdict_assets.orchestration.basis import present
from verdict_assets.orchestration.extraction import layers
from verdict_assets.orchestration.recipe import MANIFEST
from verdict_assets.orchestration.setting import Setting, read_setting
from verdict_assets.reporting import lineage
from verdict_assets.reporting.audit import chain, frozen, reported
from verdict_assets.reporting.audit.changes import (
    CONFIGURATION,
    Change,
    Kind,
    all_touched,
    compare,
    compare_rows,
    together,
    touched,
)
from verdict_assets.reporting.audit.reported import Difference, Row
from verdict_assets.reporting.lineage import Lineage, Upstream
from verdict_assets.reporting.report import NUMBERS
from verdict_assets.rollout import trail
from verdict_assets.rollout.partition import Partition
from verdict_assets.rollout.probe import open_probe
from verdict_assets.rollout.trail import Call
from verdict_assets.schemas.parquet import file_sha256

_PROBE = "probe_"
"""Beginning of the metrics that rest on the judge probe."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What was reported (`rows`, by id) and recorded, what is there now, and every change between them."""

    setting: Setting
    rows: Mapping[str, Row]
    lineage: Lineage
    now: Upstream
    changes: Sequence[Change]

    def touching(self, number: str) -> list[Change]:
        """The changes that one number rests on."""
        bases = self.now.bases
        return [change for change in self.changes if touched(change, self.rows[number], bases)]

    def touched(self, changes: Iterable[Change]) -> dict[Change, list[str]]:
        """All numbers that each change touches."""
        return {change: all_touched(change, self.rows.values(), self.now.bases) for change in changes}

    def afresh(self, number: str | None = None) -> Afresh | None:
        """The tables behind a number, or behind all.

        None behind one that shows the configuration, or whose study does not ask its benchmark any more.
        """
        if number is None:
            return compute(self.setting)
        row = self.rows[number]
        pair = (row["study"], row["benchmark"])
        if number.split("/")[0] in CONFIGURATION or pair not in self.setting.pairs:
            return None
        return compute(only(self.setting, pair))

    def differences(self, made: Afresh | None, number: str | None = None) -> list[Difference]:
        """Where the ledger of the tables is not the reported one, bit for bit: in one number, or in any."""
        found = ledger_rows(self.setting, {} if made is None else made.tables)
        numbers = [number] if number is not None else sorted({*self.rows, *found})
        return reported.differences(self.rows, found, numbers)

    def moved(self, made: Afresh) -> list[Change]:
        """Tables that models filled and whose rows are not the recorded ones, if nothing else tells why."""
        if self.changes:
            return []
        now: dict[str, dict[str, dict[str, str | int]]] = {}
        for row in made.tables[MANIFEST].itertuples():
            now.setdefault(f"{row.study}/{row.benchmark}", {})[str(row.table_name)] = {
                "rows_sha256": str(row.sha256)
            }
        before = {pair: facts for pair, facts in self.lineage.partitions.items() if pair in now}
        return compare_rows(before, now)

    def chain(self, number: str, made: Afresh | None) -> tuple[chain.Chain, list[Call]]:
        """Everything behind one number, and the answers of one example."""
        row = self.rows[number]
        if made is None:
            return chain.build(row, self.lineage, self.now, {}, None), []
        study = self.setting.studies[row["study"]]
        found = chain.build(row, self.lineage, self.now, made.tables, study)
        if found.example is None:
            return found, []
        pair = (row["study"], row["benchmark"])
        if number.split("/")[2].startswith(_PROBE):
            return found, list(trail.found(self._probed(made.partitions[pair]), made.store))
        score_set = row["score_set"] or study.score_sets[0].name
        return found, trail.calls_at(made.partitions[pair], made.store, *found.example, score_set)

    def _probed(self, partition: Partition) -> list[tuple[str, Request]]:
        """What every judge was asked about the first item of the probe."""
        first = next(iter(open_probe(self.setting.project.root, partition).calls.values()), ())
        return [(call.judge, call.request) for call in first if call.number == 0]


def open_audit(project: Project) -> Audit:
    """Read the report's files and compare all that numbers rest on with what it was.

    Raises:
        UserError: there is no report, its record is of another form, or the configuration cannot be read.
    """
    setting = read_setting(project)
    rows, recorded = reported.load(project.reports), lineage.read(project.reports)
    refused = _refused(setting)
    try:
        now = present(setting)
    except UserError:
        if not refused:
            raise
        now = recorded.upstream  # what is missing was named already
    changes = together(refused, [*_ledger(project, recorded), *compare(recorded.upstream, now)])
    return Audit(setting, rows, recorded, now, changes)


def _refused(setting: Setting) -> list[Change]:
    """What was changed among what is frozen; a layer that is not here at all stands for everything."""
    try:
        known = layers(setting)
    except UserError as error:
        partitions = frozenset("/".join(pair) for pair in setting.pairs)
        return [Change(Kind.LAYER, f"{error.where}: {error.what}", None, None, partitions, refused=True)]
    return frozen.faults(setting.project, setting.studies, known)


def _ledger(project: Project, recorded: Lineage) -> list[Change]:
    before, now = recorded.files.get(NUMBERS), file_sha256(project.reports / NUMBERS)
    name = f"{NUMBERS}, which is not what the recorded run wrote"
    return [] if before == now else [Change(Kind.LEDGER, name, None, None)]
