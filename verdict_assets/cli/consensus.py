"""`verdict consensus`: the consensus of one candidate's judges, and the decision with each comparison.

Belongs here: reading the command line and printing. Does not belong here: the mathematics
(`verification.consensus`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
from dataclasses import dataclass

from verdict_assets.config.params import load_params
from verdict_assets.config.paths import ROOT_VARIABLE, find_project
from verdict_assets.errors import UserError
from verdict_assets.verification.consensus import TOLERANCE, Consensus, above, below, consensus
from verdict_assets.verification.settings import Settings, read_settings

NAME = "consensus"
HELP = "show the consensus of judges on one candidate and whether it is accepted"


@dataclass(frozen=True, slots=True)
class _Case:
    """One candidate's raw scores and the parameters to decide with; `source` is where defaults come from."""

    judges: tuple[str, ...]
    scores: tuple[float, ...]
    stubbornness: tuple[float, ...]
    tau: float
    epsilon: float
    source: str


@dataclass(frozen=True, slots=True)
class _Comparison:
    """One strict test: `statistic` `sign` `limit`, and how it came out."""

    statistic: str
    value: float
    sign: str
    limit: float
    passes: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare scores and parameters."""
    defaults = "default: params.yaml of the project, outside a project the paper's"
    parser.add_argument(
        "scores",
        nargs="+",
        type=float,
        metavar="SCORE",
        help="raw scores in [0, 1], in the order of the judges",
    )
    parser.add_argument(
        "--stubbornness",
        type=_numbers,
        metavar="L1,L2,...",
        help=f"one lambda > 0 per judge ({defaults} 1.5,1,0.8)",
    )
    parser.add_argument("--tau", type=float, help=f"accept only above this mean ({defaults} 0.6)")
    parser.add_argument("--epsilon", type=float, help=f"accept only below this dispersion ({defaults} 0.1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object with all digits")


def run(args: argparse.Namespace) -> int:
    """Print the consensus; the exit status is 0 whether or not the candidate is accepted."""
    case = _case(args)
    _refuse_faults(case)
    result = consensus(case.scores, case.stubbornness)
    comparisons = _comparisons(case, result)
    print(_as_json(case, result, comparisons) if args.json else _as_text(case, result, comparisons))
    return 0


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1.5,1,0.8") from None


def _case(args: argparse.Namespace) -> _Case:
    settings, source = _settings()
    stubbornness: tuple[float, ...] = args.stubbornness or settings.stubbornness
    named = len(stubbornness) == len(settings.judges)
    return _Case(
        judges=settings.judges if named else tuple(f"judge {i + 1}" for i in range(len(stubbornness))),
        scores=tuple(args.scores),
        stubbornness=stubbornness,
        tau=settings.tau if args.tau is None else args.tau,
        epsilon=settings.epsilon if args.epsilon is None else args.epsilon,
        source=source,
    )


def _settings() -> tuple[Settings, str]:
    """The parameters of the project around us, else the paper's.

    A root that the environment names in vain is an error, not the absence of a project.
    """
    try:
        root = find_project().root
    except UserError:
        if os.environ.get(ROOT_VARIABLE):
            raise
        return Settings(), "the paper"
    return read_settings(load_params(root).mapping()), "params.yaml"


def _refuse_faults(case: _Case) -> None:
    """Raise one UserError that names every fault of the input."""
    faults = []
    outside = [score for score in case.scores if not 0 <= score <= 1]
    if outside:
        faults.append(f"raw scores must lie in [0, 1], not {_listed(outside)}")
    if len(case.scores) < 2:
        faults.append("a consensus needs the scores of two or more judges")
    elif len(case.scores) != len(case.stubbornness):
        faults.append(f"{len(case.scores)} scores do not fit {len(case.stubbornness)} stubbornness values")
    if not all(0 < weight < math.inf for weight in case.stubbornness):
        faults.append(f"stubbornness must be positive and finite, not {_listed(case.stubbornness)}")
    faults.extend(
        f"{name} must be a number" for name in ("tau", "epsilon") if math.isnan(getattr(case, name))
    )
    if faults:
        raise UserError(
            "; ".join(faults),
            where=f"scores {_listed(case.scores)}, stubbornness {_listed(case.stubbornness)}",
            remedy="give one score and one stubbornness per judge, as in: 0.9 0.3 --stubbornness 1.5,1",
        )


def _comparisons(case: _Case, result: Consensus) -> tuple[_Comparison, _Comparison]:
    mean, dispersion = float(result.mean), float(result.dispersion)
    return (
        _Comparison("mean", mean, ">", case.tau, bool(above(mean, case.tau))),
        _Comparison("dispersion", dispersion, "<", case.epsilon, bool(below(dispersion, case.epsilon))),
    )


def _as_json(case: _Case, result: Consensus, comparisons: tuple[_Comparison, ...]) -> str:
    return json.dumps(
        {
            "judges": case.judges,
            "scores": case.scores,
            "stubbornness": case.stubbornness,
            "tau": case.tau,
            "epsilon": case.epsilon,
            "adjusted": result.adjusted.tolist(),
            "mean": float(result.mean),
            "dispersion": float(result.dispersion),
            "raw_mean": _raw_mean(case),
            "fallback_score": float(result.mean - result.dispersion),
            "comparisons": [
                {
                    "statistic": c.statistic,
                    "value": c.value,
                    "sign": c.sign,
                    "limit": c.limit,
                    "passes": c.passes,
                }
                for c in comparisons
            ],
            "accepted": all(c.passes for c in comparisons),
        },
        indent=2,
    )


def _as_text(case: _Case, result: Consensus, comparisons: tuple[_Comparison, ...]) -> str:
    width = max(len("judge"), *map(len, case.judges))
    lines = [f"{'judge':<{width}}  stubbornness     raw  adjusted"]
    lines += [
        f"{judge:<{width}}  {weight:>12g}  {score:>6g}  {value:.6f}"
        for judge, weight, score, value in zip(
            case.judges, case.stubbornness, case.scores, result.adjusted.tolist(), strict=True
        )
    ]
    lines += [
        "",
        f"mean        {float(result.mean):.6f}   (of the adjusted scores; raw: {_raw_mean(case):.6f})",
        f"dispersion  {float(result.dispersion):.6f}   (mean absolute deviation of the adjusted scores)",
        "",
        *(_spelled(comparison) for comparison in comparisons),
        "",
        _decision(comparisons, float(result.mean - result.dispersion)),
        f"(parameters not given on the command line are those of {case.source})",
    ]
    return "\n".join(lines)


def _raw_mean(case: _Case) -> float:
    return math.fsum(case.scores) / len(case.scores)


def _spelled(comparison: _Comparison) -> str:
    """The comparison with its outcome; equality up to rounding is named, because it looks like a pass."""
    near = abs(comparison.value - comparison.limit) <= TOLERANCE
    outcome = "yes" if comparison.passes else "no, equal does not pass" if near else "no"
    limit = {"mean": "tau", "dispersion": "epsilon"}[comparison.statistic]
    # A value that would print like the limit without being equal to it gets the digits that tell them apart.
    digits = 6 if near or abs(comparison.value - comparison.limit) > 1e-6 else 10
    return (
        f"{comparison.statistic} {comparison.sign} {limit}:  "
        f"{comparison.value:.{digits}f} {comparison.sign} {comparison.limit}?  {outcome}"
    )


def _decision(comparisons: tuple[_Comparison, ...], fallback_score: float) -> str:
    if all(comparison.passes for comparison in comparisons):
        return "accepted"
    failed = " and ".join(comparison.statistic for comparison in comparisons if not comparison.passes)
    rank = f"mean - dispersion = {fallback_score:.6f}"
    return f"not accepted ({failed}); if no candidate is, this one ranks by {rank}"


def _listed(values: tuple[float, ...] | list[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
