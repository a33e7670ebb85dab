"""What every number is made of now: modules, configuration, files, for the record beside the report.

Belongs here: asking each recipe and the extraction what they depend on. Does not: comparing it with what a
record says (reporting/audit), or hashing it into the fingerprint of one file (recipe.py, extraction.py).
"""

from verdict_assets.benchmarks.load import column_hashes
from verdict_assets.config.fingerprint import file_hashes, sources
from verdict_assets.inference.prompts import load_prompt
from verdict_assets.inference.store.files import MANIFEST as LAYER_MANIFEST
from verdict_assets.inference.store.files import shards_in
from verdict_assets.inference.store.guard import is_absent
from verdict_assets.inference.weights import identify
from verdict_assets.orchestration.extraction import PARTITIONED, layers, partition_reads, partition_sources
from verdict_assets.orchestration.recipe import MANIFEST, Recipe
from verdict_assets.orchestration.recipes import RECIPES
from verdict_assets.orchestration.setting import Setting
from verdict_assets.reporting.ledger import book
from verdict_assets.reporting.ledger import tables as ledger_tables
from verdict_assets.reporting.lineage import NUMBERS, Upstream, UpstreamBuilder

LEDGER_INPUTS = ("main_comparison", "world_diagnostics", MANIFEST)


def needed() -> list[Recipe]:
    """The recipes that a reported number rests on, in the order in which they are made."""
    wanted = set(LEDGER_INPUTS)
    for recipe in reversed(RECIPES):
        wanted |= set(recipe.inputs) if recipe.table.name in wanted else set()
    return [recipe for recipe in RECIPES if recipe.table.name in wanted]


def present(setting: Setting) -> Upstream:
    """All that the reported numbers are made of, as it stands in the project and in this package.

    Raises:
        UserError: a file that the configuration names is missing.
    """
    builder = UpstreamBuilder(_layers(setting))
    reads = {
        "studies": {name: study.mapping() for name, study in setting.studies.items()},
        "params": setting.params.mapping(),
    }
    builder.add(NUMBERS, sources([ledger_tables.__name__, book.__name__]), reads, LEDGER_INPUTS)
    builder.add(MANIFEST, sources([f"verdict_assets.schemas.{MANIFEST}"]), {}, PARTITIONED)
    for recipe in needed():
        builder.add(recipe.table.name, recipe.sources(), recipe.reads(setting), recipe.inputs)
    asked = {name: _asked(setting, name) for name in setting.studies}
    for study, benchmark in setting.pairs:
        columns = {benchmark: column_hashes(setting.project.root, benchmark)}
        reads = {**partition_reads(setting, study), **asked[study], "questions": columns}
        builder.add(f"{study}/{benchmark}", partition_sources(), reads, ())
    return builder.build()


def _asked(setting: Setting, study: str) -> dict[str, object]:
    """The prompts of a study and the weights of its models, as they stand in the keys of its requests."""
    spec = setting.studies[study]
    models = {spec.base.model, *(judge.model for judge in spec.judges)}
    return {
        "prompts": {name: load_prompt(name).sha256 for name in spec.prompts},
        "weights": {name: identify(setting.project.weights / name).revision for name in models},
    }


def _layers(setting: Setting) -> dict[str, dict[str, str]]:
    """Hashes of the files of every frozen layer; the open one is no part of what is versioned."""
    found = {}
    for layer in layers(setting):
        if layer.frozen and not is_absent(layer.path):
            files = shards_in(layer.path)
            files += [path for path in [layer.path / LAYER_MANIFEST] if path.is_file()]
            name = layer.path.relative_to(setting.project.root).as_posix()
            found[name] = file_hashes(files, layer.path)
    return found
