"""All tables by name, in the order in which they are made."""

from collections.abc import Mapping
from types import MappingProxyType

from verdict_assets.schemas import (
    answers,
    candidates,
    consensus,
    judge_probe,
    main_comparison,
    outcomes,
    questions,
    raw_scores,
    score_manifest,
    selections,
    step_labels,
    world_diagnostics,
)
from verdict_assets.schemas.table import Table

TABLES: Mapping[str, Table] = MappingProxyType(
    {
        module.TABLE.name: module.TABLE
        for module in (
            questions,
            candidates,
            raw_scores,
            answers,
            judge_probe,
            score_manifest,
            step_labels,
            consensus,
            selections,
            outcomes,
            world_diagnostics,
            main_comparison,
        )
    }
)
