"""The unpartitioned tables as assets: one factory, since they differ only in their recipe.

Belongs here: between a recipe and Dagster. Does not: a recipe (recipes.py).
"""

from collections.abc import Callable, Sequence

import dagster as dg

from verdict_assets.orchestration.checks import schema_result, schema_spec
from verdict_assets.orchestration.display import column_metadata, table_metadata
from verdict_assets.orchestration.extraction import PARTITIONED, make_manifest
from verdict_assets.orchestration.frozen import require_here, require_unchanged
from verdict_assets.orchestration.recipe import MANIFEST, Made, Recipe, make
from verdict_assets.orchestration.recipes import QUESTIONS, RECIPES
from verdict_assets.orchestration.registry import asset_attributes
from verdict_assets.orchestration.resources import ProjectResource, told_to_the_user
from verdict_assets.orchestration.setting import Setting
from verdict_assets.schemas.catalogue import TABLES

Maker = Callable[[Setting], Made]


def table_assets() -> list[dg.AssetsDefinition]:
    """The manifest and every table that has a recipe."""
    manifest = _table_asset(MANIFEST, ("questions", *PARTITIONED), make_manifest)
    return [manifest, *map(_recipe_asset, RECIPES)]


def _recipe_asset(recipe: Recipe) -> dg.AssetsDefinition:
    return _table_asset(recipe.table.name, recipe.upstream, lambda setting: make(recipe, setting))


def _table_asset(name: str, upstream: Sequence[str], maker: Maker) -> dg.AssetsDefinition:
    table = TABLES[name]

    @dg.asset(
        name=name,
        deps=list(upstream),
        check_specs=[schema_spec(name)],
        metadata=column_metadata(table),
        **asset_attributes(name),
    )
    def asset(context: dg.AssetExecutionContext, project: ProjectResource) -> dg.MaterializeResult:
        with told_to_the_user():
            setting = project.setting()
            require_unchanged(setting)
            if name != QUESTIONS.table.name:  # which comes first, before a run that records what is missing
                require_here(setting)
            made = maker(setting)
        path, root = setting.project.table(name), setting.project.root
        context.log.info("%s: %d rows%s", name, made.stamp.rows, ", reused" if made.reused else "")
        return dg.MaterializeResult(
            metadata=table_metadata(table, path, root, made.stamp, reused=made.reused),
            data_version=dg.DataVersion(made.stamp.rows_sha256),
            check_results=[schema_result(name, table, [path])],
        )

    return asset
