"""The partitions of what models filled, read from the store into tables, and the manifest that lists them.

Belongs here: when a partition must be read again, its files, and the rows of `score_manifest`. Does
not: asking a model (rollout.expand, called by the asset), or what the rows of a partition are
(rollout.extract, rollout.probe).
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from verdict_assets.config.fingerprint import file_hashes, fingerprint, sources
from verdict_assets.inference.layers import frozen_layers, project_layers
from verdict_assets.inference.store import Layer, Store
from verdict_assets.inference.store.guard import verified_shards
from verdict_assets.orchestration.questions import question_files
from verdict_assets.orchestration.recipe import FORM, MANIFEST, Made
from verdict_assets.orchestration.rules import require
from verdict_assets.orchestration.setting import Setting
from verdict_assets.orchestration.stamp import Stamp, valid_stamp, write_stamp
from verdict_assets.rollout.extract import Extract, extract
from verdict_assets.rollout.partition import Partition, open_partition
from verdict_assets.rollout.probe import ProbeExtract, extract_probe, open_probe
from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.parquet import rows_sha256, write_table

PARTITIONED = tuple(name for name, table in TABLES.items() if table.partitioned)

Pair = tuple[str, str]
"""(study, benchmark)."""


class Extraction:
    """Reads partitions from the store, which is opened only if one has to be read again."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._store: Store | None = None
        # The guard looks at every shard here: a changed one is refused even where nothing is to be read.
        self._shards = {
            layer.path.relative_to(setting.project.root).as_posix(): [
                shard.name for shard in verified_shards(layer)
            ]
            for layer in layers(setting)
        }

    def partition(self, pair: Pair) -> dict[str, Made]:
        """Make the tables of a partition, or find that they are there already; by table name.

        Raises:
            UserError: the store was damaged, or the configuration names what does not exist.
        """
        study, benchmark = pair
        opened = open_partition(self._setting.project.root, study, benchmark)
        expected = fingerprint(
            {
                "form": FORM,
                "sources": partition_sources(),
                "asks": _asked(opened),
                "reads": partition_reads(self._setting, study),
                "shards": self._shards,
            }
        )
        found = {name: valid_stamp(self._path(name, pair)) for name in PARTITIONED}
        if all(stamp is not None and stamp.fingerprint == expected for stamp in found.values()):
            return {name: Made(stamp, reused=True) for name, stamp in found.items() if stamp is not None}
        extracted = extracted_tables(self._setting, opened, self._opened_store())
        rows: dict[str, pd.DataFrame] = {name: getattr(extracted[name], name) for name in PARTITIONED}
        return {
            name: Made(self._write(name, pair, rows, facts_of(extracted[name]), expected), reused=False)
            for name in PARTITIONED
        }

    def _write(
        self,
        name: str,
        pair: Pair,
        rows: Mapping[str, pd.DataFrame],
        facts: Mapping[str, int],
        expected: str,
    ) -> Stamp:
        def accept(written: pd.DataFrame) -> None:
            require(self._setting, name, {**rows, name: written}, rows)

        table, path = TABLES[name], self._path(name, pair)
        stored = write_table(rows[name], table, path, accept)
        return write_stamp(path, expected, len(stored), rows_sha256(stored, table), facts)

    def _path(self, name: str, pair: Pair) -> Path:
        return self._setting.project.partition(name, *pair)

    def _opened_store(self) -> Store:
        if self._store is None:
            self._store = open_store(self._setting)
        return self._store


def extracted_tables(
    setting: Setting, partition: Partition, store: Store
) -> dict[str, Extract | ProbeExtract]:
    """What the store holds of a partition, by the name of the table that it is read for."""
    grown = extract(partition, store)
    probed = extract_probe(open_probe(setting.project.root, partition), store)
    return {name: probed if name == "judge_probe" else grown for name in PARTITIONED}


def facts_of(extracted: Extract | ProbeExtract) -> dict[str, int]:
    """How far a partition is, and what each of its tables cost: what the manifest says beside their rows."""
    costs = {
        f"{name}.{what}": amount
        for name, cost in extracted.costs.items()
        for what, amount in asdict(cost).items()
    }
    return {
        "closed": extracted.closed,
        "draft": extracted.draft,
        "questions": extracted.questions,
        "questions_closed": extracted.questions - len(extracted.open),
        **costs,
    }


def partition_sources() -> dict[str, str]:
    """sha256 of every module whose source decides what is read from the store, by name."""
    return sources([extract.__module__, extract_probe.__module__])


def partition_reads(setting: Setting, study: str) -> Mapping[str, object]:
    """The configuration that decides which answers of the store belong to a study."""
    params = {name: value for name, value in setting.params.mapping().items() if name != "statistics"}
    files = file_hashes(question_files(setting), setting.project.root)
    return {"studies": {study: setting.studies[study].mapping()}, "params": params, "files": files}


def layers(setting: Setting) -> tuple[Layer, ...]:
    """The layers of the project's store in the order in which they are read."""
    return project_layers(setting.project)


def open_store(setting: Setting) -> Store:
    """The project's store: its frozen layers, then the open one."""
    return Store.open(frozen=frozen_layers(setting.project), open_layer=setting.project.open_layer)


def manifest_row(
    pair: Pair, name: str, rows: int, sha256: str, facts: Mapping[str, int]
) -> dict[str, str | int]:
    """One row of `score_manifest`; of the costs in `facts_of` those of its table."""
    key = {"study": pair[0], "benchmark": pair[1], "table_name": name}
    own = {fact: value for fact, value in facts.items() if "." not in fact}
    own |= {fact.removeprefix(f"{name}."): facts[fact] for fact in facts if fact.startswith(f"{name}.")}
    return {**key, "rows": rows, "sha256": sha256, **own}


def make_manifest(setting: Setting) -> Made:
    """Make `score_manifest`, reading from the store every partition that is missing or out of date.

    Raises:
        UserError: the store was damaged, or the configuration names what does not exist.
    """
    extraction = Extraction(setting)
    rows = []
    for pair in setting.pairs:
        for name, made in extraction.partition(pair).items():
            rows.append(manifest_row(pair, name, made.stamp.rows, made.stamp.rows_sha256, made.stamp.facts))
    table, path = TABLES[MANIFEST], setting.project.table(MANIFEST)
    expected = fingerprint(
        {"form": FORM, "rows": rows, "sources": sources([f"verdict_assets.schemas.{MANIFEST}"])}
    )
    found = valid_stamp(path)
    if found is not None and found.fingerprint == expected:
        return Made(found, reused=True)
    stored = write_table(
        pd.DataFrame(rows, columns=list(table.names)),
        table,
        path,
        lambda written: require(setting, MANIFEST, {MANIFEST: written}, ()),
    )
    return Made(write_stamp(path, expected, len(stored), rows_sha256(stored, table)), reused=False)


def _asked(partition: Partition) -> Mapping[str, object]:
    """What the partition's requests are made of: models, decoding and prompts."""
    asking = partition.asking
    return {
        "base": [asking.base_setup.key, asdict(asking.base_prompt)],
        "judges": {"/".join(role): setup.key for role, setup in asking.judge_setups.items()},
        "prompts": {judge: asdict(prompt) for judge, prompt in asking.judge_prompts.items()},
    }
