"""The partitions of what models fill: benchmark × study. Nothing else is partitioned.

Belongs here: between partition keys and (study, benchmark) pairs. Does not: what lies in a partition.
"""

from collections.abc import Mapping, Sequence

import dagster as dg

from verdict_assets.config.studies import StudySpec

BENCHMARK = "benchmark"
STUDY = "study"


def partitions(studies: Mapping[str, StudySpec]) -> dg.MultiPartitionsDefinition:
    """Every benchmark with every study; pairs that no study declares have nothing to do."""
    benchmarks = sorted({name for study in studies.values() for name in study.benchmarks})
    return dg.MultiPartitionsDefinition(
        {
            BENCHMARK: dg.StaticPartitionsDefinition(benchmarks),
            STUDY: dg.StaticPartitionsDefinition(sorted(studies)),
        }
    )


def pair_of(key: str) -> tuple[str, str]:
    """(study, benchmark) of a partition key.

    A key that was given as two tags comes with its dimensions, one given as a single text does not; its
    parts then stand in the order of the dimensions' names.
    """
    if isinstance(key, dg.MultiPartitionKey):
        return key.keys_by_dimension[STUDY], key.keys_by_dimension[BENCHMARK]
    benchmark, study = key.split("|")
    return study, benchmark


def whole_range(definition: dg.MultiPartitionsDefinition) -> dict[str, str]:
    """Run tags that select every partition, so that a job may run without any tag of the user."""
    keys: Sequence[str] = definition.get_partition_keys()
    return {
        "dagster/asset_partition_range_start": keys[0],
        "dagster/asset_partition_range_end": keys[-1],
    }
