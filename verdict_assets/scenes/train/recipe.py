"""The training recipe as read from ``experiments/<model>.yaml``.

Belongs here: what can change the weights. Where files go and how often progress is shown does not.
"""

from dataclasses import dataclass
from pathlib import Path

import yaml

from verdict_assets.errors import UserError

PHASES = ("copy", "vision", "ground", "joint", "judging")


@dataclass(frozen=True, slots=True)
class Phase:
    """Optimiser steps, rows a step, and peak learning rate of one phase."""

    steps: int
    batch: int
    rate: float


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that fixes the weights, the machine's arithmetic apart."""

    model: str
    seed: int
    width: int
    layers: int
    vision_width: int
    vision_layers: int
    threads: int
    phases: dict[str, Phase]


def load_recipe(path: Path) -> Recipe:
    """Read a recipe; raises UserError when the file is missing or a key is unknown, missing or ill-typed."""
    try:
        raw = yaml.safe_load(path.read_text())
        phases = {name: Phase(**raw["phases"][name]) for name in PHASES}
        return Recipe(**{**raw, "phases": phases})
    except FileNotFoundError as error:
        raise UserError(
            "no such training recipe", str(path), "name a model with a file in experiments/"
        ) from error
    except (TypeError, KeyError, yaml.YAMLError) as error:
        raise UserError(
            f"the recipe cannot be read: {error}", str(path), "compare it with experiments/scenes-base.yaml"
        ) from error
