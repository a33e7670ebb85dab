"""What Dagster loads: `dagster job execute -m verdict_assets.definitions -j recompute`."""

from verdict_assets.orchestration.build import build_defs

defs = build_defs()
