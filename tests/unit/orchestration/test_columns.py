"""Every column of a table that is made of others says of which columns, and those exist."""

import dagster as dg
import pytest

from verdict_assets.orchestration.columns import column_lineage, origins
from verdict_assets.orchestration.recipes import RECIPES
from verdict_assets.schemas.catalogue import TABLES

# What the configuration names, and no table.
CONFIGURED = {"strategy", "judge", "metric", "table_name", "study", "score_set"}


@pytest.mark.parametrize("name", [name for name in TABLES if name != "questions"])
def test_every_column_comes_from_columns_that_exist(name: str) -> None:
    found = origins(TABLES[name])
    assert list(found) == list(TABLES[name].names)
    assert {column for column, origin in found.items() if not origin} <= CONFIGURED
    for origin in found.values():
        for source, column in (one.split(".") for one in origin):
            assert column in TABLES[source].names
            assert source != name


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.table.name)
def test_columns_come_from_tables_that_the_recipe_reads(recipe) -> None:  # type: ignore[no-untyped-def]
    sources = {one.split(".")[0] for origin in origins(recipe.table).values() for one in origin}
    assert sources <= set(recipe.inputs)


def test_dagster_is_told(name: str = "main_comparison") -> None:
    told = column_lineage(TABLES[name]).deps_by_column["accuracy"]
    assert dg.TableColumnDep(asset_key="outcomes", column_name="correct") in told


def test_a_column_that_nobody_accounts_for_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verdict_assets.orchestration.columns._COMPUTED", {"consensus": {}})
    with pytest.raises(KeyError, match=r"consensus\.complete"):
        origins(TABLES["consensus"])
