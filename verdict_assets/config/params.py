"""`params.yaml` as a frozen value: what can change a number and belongs to no single study.

Here: the parameters, their allowed ranges, and reading them. Not here: what a study asks of which model
(`studies.py`), and settings that cannot change a number (a server's address, a batch size: options of a run).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from verdict_assets.config.reading import Section

FILE = "params.yaml"
MISSING_RULES = ("last", "present")


@dataclass(frozen=True, slots=True)
class Consensus:
    """The VERDICT rule: stubbornness per judge name (> 0), threshold tau, dispersion limit epsilon."""

    stubbornness: Mapping[str, float]
    tau: float
    epsilon: float


@dataclass(frozen=True, slots=True)
class Statistics:
    """Confidence of intervals, draws and seed of the bootstrap, power of the detectable difference."""

    confidence: float
    bootstrap_draws: int
    bootstrap_seed: int
    power: float


@dataclass(frozen=True, slots=True)
class Params:
    """Everything in `params.yaml`.

    missing: "last" ranks a candidate without every score after all complete ones and never accepts it;
    "present" solves with the judges that answered (two or more).
    """

    consensus: Consensus
    variance_limit: float
    raw_average_epsilon_rescaled: float
    missing: str
    candidates: int
    max_steps: int
    max_blank: int
    repeat_limit: int
    statistics: Statistics

    def mapping(self) -> dict[str, object]:
        """The same values as plain nested dictionaries, for the strategy catalogue and for fingerprints."""
        return asdict(self)


def load_params(root: Path) -> Params:
    """Read `params.yaml` below `root`.

    Raises `UserError` that names every unknown, missing or ill-typed key and what is allowed there.
    """
    top = Section.of_file(root / FILE, FILE)
    top.only(
        "consensus", "variance_limit", "raw_average_epsilon_rescaled", "missing",
        "candidates", "max_steps", "max_blank", "repeat_limit", "statistics",
    )  # fmt: skip
    params = Params(
        consensus=_consensus(top.section("consensus")),
        variance_limit=top.number("variance_limit", 0.0, above=True),
        raw_average_epsilon_rescaled=top.number("raw_average_epsilon_rescaled", 0.0, above=True),
        missing=top.choice("missing", MISSING_RULES),
        candidates=top.integer("candidates", 1),
        max_steps=top.integer("max_steps", 1),
        max_blank=top.integer("max_blank", 0),
        repeat_limit=top.integer("repeat_limit", 2),
        statistics=_statistics(top.section("statistics")),
    )
    top.refuse_faults()
    return params


def _consensus(part: Section) -> Consensus:
    part.only("stubbornness", "tau", "epsilon")
    judges = part.section("stubbornness")
    stubbornness = {name: judges.number(name, 0.0, above=True) for name in judges}
    if part.has("stubbornness") and len(stubbornness) < 2:
        part.fault("stubbornness", "a consensus needs two or more judges")
    return Consensus(stubbornness, part.number("tau", 0.0), part.number("epsilon", 0.0))


def _statistics(part: Section) -> Statistics:
    part.only("confidence", "bootstrap_draws", "bootstrap_seed", "power")
    return Statistics(
        confidence=part.number("confidence", 0.5, 0.9999),
        bootstrap_draws=part.integer("bootstrap_draws", 100),
        bootstrap_seed=part.integer("bootstrap_seed", 0),
        power=part.number("power", 0.5, 0.9999),
    )
