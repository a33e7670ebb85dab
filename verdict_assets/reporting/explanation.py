"""An explained path as text for a terminal.

Belongs here: words, order and digits. Does not belong here: what the path is (`analysis.explanation`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from verdict_assets.analysis.explanation import Comparison, Explanation, Option, Step
from verdict_assets.reporting import labels
from verdict_assets.verification.consensus import TOLERANCE
from verdict_assets.verification.strategy import Side, Statistic

_WORDS = {
    Statistic.MEAN: "mean",
    Statistic.DISPERSION: "dispersion",
    Statistic.MEAN_MINUS_DISPERSION: "mean - dispersion",
    Statistic.VARIANCE: "variance",
    Statistic.MAXIMUM: "maximum",
    Statistic.MINIMUM: "minimum",
    Statistic.VOTES: "share of judges above 0.5",
    Statistic.INDEX: "lowest index",
}
_ENDS = {
    "eos": "the model ended it",
    "cap": "the cap on steps",
    "loop": "a step that repeats itself",
    "empty": "an empty step",
}


def text(found: Explanation) -> str:
    """Each step with its candidates, their scores, each comparison, and why one was chosen."""
    lines = [_rule(found), ""]
    for step in found.steps:
        lines += [*_step(found, step), ""]
    return "\n".join([*lines, _outcome(found)]) + "\n"


def _rule(found: Explanation) -> str:
    label = labels.strategy(found.strategy.name)
    said = f"{label.name}: {label.rule}" if label.rule else label.name
    return said if found.strategy.stop.judged_steps == 0 else f"{said}\nscores: {found.score_set}"


def _step(found: Explanation, step: Step) -> list[str]:
    head = f"step {step.number}"
    if not step.judged:
        return [f"{head}, not judged", f"  > 0  {step.options[0].text}"]
    lines = [f"{head}, {len(step.options)} candidates (node {step.node[:12]})"]
    for option in step.options:
        lines += _option(found, step, option)
    return [*lines, f"  chosen: candidate {step.chosen}, {_why(found, step)}"]


def _option(found: Explanation, step: Step, option: Option) -> list[str]:
    lines = [f"  {'>' if option.index == step.chosen else ' '} {option.index}  {option.text or '(no text)'}"]
    lines.append(f"       scores    {_scores(option)}")
    if option.adjusted is not None:
        lines.append(f"       adjusted  {_pairs(option.adjusted)}")
    if not option.usable:
        return [*lines, "       a score is missing: not accepted, ranks after every complete candidate"]
    tested = [comparison.statistic for comparison in option.comparisons]
    lines += [f"       {_spelled(comparison)}" for comparison in option.comparisons]
    rank = found.strategy.fallback if step.fallback else found.strategy.rank
    if rank not in {*tested, Statistic.INDEX}:
        lines.append(f"       {_WORDS[rank]} {option.statistics[rank]:.4f}")
    if option.comparisons:
        lines.append(f"       {'accepted' if option.accepted else 'not accepted'}")
    return lines


def _scores(option: Option) -> str:
    found = []
    for judge, score in option.scores.items():
        why = option.reasons.get(judge)
        found.append(f"{judge} {score:g}" if score is not None else f"{judge} missing ({why or 'not asked'})")
    return "   ".join(found)


def _pairs(values: Mapping[str, float]) -> str:
    return "   ".join(f"{judge} {value:.4f}" for judge, value in values.items())


def _spelled(comparison: Comparison) -> str:
    """The comparison with its outcome; equality up to rounding is named, because it looks like a pass."""
    near = math.isclose(comparison.value, comparison.limit, rel_tol=0, abs_tol=TOLERANCE)
    outcome = "yes" if comparison.passes else "no, equal does not pass" if near else "no"
    sign = ">" if comparison.side is Side.ABOVE else "<"
    return f"{_WORDS[comparison.statistic]} {comparison.value:.4f} {sign} {comparison.limit:g}?  {outcome}"


def _why(found: Explanation, step: Step) -> str:
    accepted = sum(option.accepted for option in step.options)
    usable = sum(option.usable for option in step.options)
    if not usable:
        return "the first: no candidate has the scores that are needed"
    rank = found.strategy.fallback if step.fallback else found.strategy.rank
    best = "the first" if rank is Statistic.INDEX else f"the largest {_WORDS[rank]}"
    tie = ", first of equals" if step.tie else ""
    if step.fallback:
        return f"none was accepted: {best} of {_among(usable, step.options)}{tie}"
    if not found.strategy.gate:
        return f"{best} of {_among(usable, step.options)}{tie}"
    return f"{best} of {accepted} accepted{tie}" if accepted > 1 else f"the only one accepted{tie}"


def _among(usable: int, options: Sequence[Option]) -> str:
    return "all" if usable == len(options) else f"the {usable} with complete scores"


def _outcome(found: Explanation) -> str:
    if not found.closed:
        return "unfinished: what comes next was not recorded; a rollout of the study continues here"
    answer = f"answer {found.answer}" if found.answer is not None else "no answer could be read"
    verdict = "right" if found.correct else "wrong"
    return f"{answer}: {verdict} (the chain ended by {_ENDS.get(found.end or '', found.end)})"
