"""What every reported quantity means, in one sentence, and what kind of number it is.

Belongs here: definitions by the last segment of an id. Does not belong here: values.
"""

from __future__ import annotations

from dataclasses import dataclass

from verdict_assets.reporting.ledger.entry import Kind


@dataclass(frozen=True, slots=True)
class Definition:
    """Label for a heading, sentence for a reader, kind for showing; `rule` is a row of the specification."""

    label: str
    text: str
    kind: Kind
    rule: str | None = None


COMPARISON: dict[str, Definition] = {
    "accuracy": Definition(
        "Accuracy",
        "Questions answered rightly among all that the study asks, with the Wilson interval. No point "
        "value while a "
        "path is unfinished.",
        Kind.SHARE,
    ),
    "finished": Definition("Finished", "Questions whose path reached an answer.", Kind.SHARE),
    "bound_lower": Definition(
        "Lower bound", "Accuracy if every unfinished path turned out wrong.", Kind.SHARE
    ),
    "bound_upper": Definition(
        "Upper bound", "Accuracy if every unfinished path turned out right.", Kind.SHARE
    ),
    "acceptance": Definition(
        "Accepted",
        "Candidates that passed the gate, among those judged on the strategy's own path, with the interval "
        "that takes questions as independent, not candidates.",
        Kind.SHARE,
    ),
    "fallback": Definition(
        "Fallback",
        "Judged steps of the strategy's own path at which no candidate passed the gate, with the interval "
        "that takes questions as independent, not steps.",
        Kind.SHARE,
    ),
    "missing_scores": Definition(
        "Missing",
        "Scores on the strategy's own path that could not be read; such a candidate is not accepted and "
        "ranks last.",
        Kind.COUNT,
    ),
    "capped": Definition("Capped", "Paths stopped by the cap on the number of steps.", Kind.COUNT),
}

_RIVALS = {"base": "Base", "verdict": "VERDICT"}
for _slug, _rival in _RIVALS.items():
    COMPARISON |= {
        f"wins_{_slug}": Definition("Won", f"Questions right here and wrong with {_rival}.", Kind.COUNT),
        f"losses_{_slug}": Definition("Lost", f"Questions wrong here and right with {_rival}.", Kind.COUNT),
        f"difference_{_slug}": Definition(
            f"Against {_rival}",
            f"Accuracy minus that of {_rival} on the same questions, (won - lost) / questions, with the "
            f"percentile "
            "interval of a paired bootstrap over questions.",
            Kind.DIFFERENCE,
        ),
        f"p_{_slug}": Definition(
            "p",
            f"Exact two-sided McNemar test against {_rival} on the same questions; not corrected for the "
            f"number of "
            "comparisons.",
            Kind.PROBABILITY,
        ),
        f"smallest_detectable_{_slug}": Definition(
            "Detectable",
            f"Smallest true difference to {_rival} that this many questions would usually have shown, at the "
            "discordance observed (Connor's formula). A smaller difference is neither shown nor excluded.",
            Kind.SHARE,
        ),
    }

DIAGNOSTICS: dict[str, Definition] = {
    "paths_finished": Definition(
        "Paths finished", "Declared paths (strategy and question) that reached an answer.", Kind.SHARE
    ),
    "base_accuracy": Definition(
        "Base accuracy", "Accuracy of one ordinary chain, nothing judged.", Kind.SHARE
    ),
    "distinct_candidates": Definition(
        "Distinct candidates",
        "Different texts among the candidates of a judged step, on average. One leaves nothing to choose.",
        Kind.REAL,
        "14",
    ),
    "closure_factor": Definition(
        "Closure factor",
        "Nodes that the declared strategies visit together, in nodes of VERDICT's own paths: the price "
        "of exact "
        "counterfactuals.",
        Kind.REAL,
    ),
    "truth_choice_accuracy": Definition(
        "Choosing by truth",
        "Accuracy of a chooser that knows the truth of every step, on the recorded tree; no value where "
        "it would "
        "leave that tree.",
        Kind.SHARE,
    ),
    "truth_choice_finished": Definition(
        "Choosing by truth: finished",
        "Questions on which that chooser stays on the recorded tree.",
        Kind.SHARE,
    ),
    "truth_choice_if_unfinished_wrong": Definition(
        "Choosing by truth: at least", "Its accuracy if every unfinished path turned out wrong.", Kind.SHARE
    ),
    "truth_choice_if_unfinished_right": Definition(
        "Choosing by truth: at most", "Its accuracy if every unfinished path turned out right.", Kind.SHARE
    ),
    "any_leaf_right": Definition(
        "Some path right", "Questions for which some recorded path ends in the right answer.", Kind.SHARE
    ),
    "score_values": Definition(
        "Score values", "Different scores in use by all judges together.", Kind.COUNT, "21"
    ),
    "unanimous": Definition(
        "Unanimous",
        "Candidates to which every judge gave the same score: there dispersion is nothing.",
        Kind.SHARE,
        "21",
    ),
    "probe_questions": Definition(
        "Probed",
        "Questions at whose true steps the judges were asked about right and corrupted steps.",
        Kind.SHARE,
    ),
    "probe_missing": Definition(
        "Unread in the probe",
        "Steps of the probe for which some judge's score could not be read; left out of its numbers.",
        Kind.SHARE,
        "20",
    ),
    "step_unreadable": Definition(
        "Unreadable steps", "Judged candidates that the oracle cannot read; they have no truth.", Kind.SHARE
    ),
    "step_true_of_scene": Definition(
        "True of the scene", "Readable judged candidates that are true.", Kind.SHARE
    ),
    "step_follows": Definition(
        "Follow", "Readable judged candidates that follow from the steps before.", Kind.SHARE
    ),
    "step_sound": Definition(
        "Sound",
        "Readable judged candidates that are true of the scene and follow from the steps before.",
        Kind.SHARE,
    ),
    "candidates_truncated": Definition(
        "Cut at the length limit",
        "Recorded candidates that ran into the limit on tokens; kept and judged.",
        Kind.SHARE,
        "11",
    ),
    "candidates_empty": Definition(
        "Empty",
        "Recorded candidates with no text after the allowed blank lines; not judged, rank last.",
        Kind.SHARE,
        "13",
    ),
    "candidates_refused": Definition(
        "Refused", "Recorded candidates that a server refused to write.", Kind.SHARE
    ),
    "candidates_after_blank_lines": Definition(
        "After blank lines",
        "Recorded candidates that began with blank lines, which went into the prefix.",
        Kind.SHARE,
        "13",
    ),
    "candidates_heading_only": Definition(
        "Heading only",
        "Recorded candidates that are a heading or an announcement and state nothing.",
        Kind.SHARE,
        "13",
    ),
    "candidates_repeated": Definition(
        "Repeated text",
        "Recorded candidates whose text another candidate of the step has; judged once.",
        Kind.SHARE,
        "14",
    ),
    "leaves_eos": Definition(
        "Ended by itself", "Recorded paths that end with end-of-sequence.", Kind.SHARE, "12"
    ),
    "leaves_cap": Definition("Capped", "Recorded paths stopped by the cap on steps.", Kind.SHARE, "11"),
    "leaves_loop": Definition(
        "Looped", "Recorded paths stopped because a step repeated itself.", Kind.SHARE, "15"
    ),
    "leaves_empty": Definition(
        "Ended empty", "Recorded paths that end in an empty candidate.", Kind.SHARE, "13"
    ),
    "leaves_without_answer": Definition(
        "Without answer",
        "Recorded paths from which no option could be read; counted as wrong.",
        Kind.SHARE,
        "38",
    ),
}

_TRUTHS = {
    "sound": "sound (true of the scene and following)",
    "true_of_scene": "true of the scene",
    "follows": "following from the steps before",
    "relevant": "relevant to the question",
}


def diagnostic(metric: str) -> Definition:
    """The definition of a metric of `world_diagnostics`; some are named after judges, values, strategies."""
    if metric in DIAGNOSTICS:
        return DIAGNOSTICS[metric]
    head, _, rest = metric.partition("_")
    if head == "probe":
        return _probe(rest)
    if head == "auc":
        score = rest.split("_")[0]
        truth = rest.removeprefix(f"{score}_")
        whose = _whose(score)
        return Definition(
            f"AUC of {whose}",
            f"Chance that {whose} scores a step that is {_TRUTHS.get(truth, truth)} above one that is "
            f"not, ties half; "
            "on VERDICT's own path, interval over questions.",
            Kind.REAL,
        )
    if head == "correlation":
        return Definition(
            f"Correlation {rest.replace('_', ', ')}",
            "Linear correlation of two judges' raw scores.",
            Kind.REAL,
        )
    if metric.startswith("chosen_sound_"):
        return Definition(
            "Sound steps",
            "Chosen steps after the first that are sound, among those the oracle can read.",
            Kind.SHARE,
        )
    if metric.startswith("score_missing_"):
        judge = metric.removeprefix("score_missing_")
        return Definition(
            f"Unread replies, {judge}",
            "Replies of the judge from which no score could be read.",
            Kind.SHARE,
            "20",
        )
    if metric.startswith("score_values_"):
        judge = metric.removeprefix("score_values_")
        return Definition(f"Score values, {judge}", "Different scores in use by the judge.", Kind.COUNT, "21")
    if head == "score":
        judge, _, value = rest.rpartition("_")
        return Definition(
            f"{judge} score {value}", "Candidates to which the judge gave this score.", Kind.SHARE
        )
    raise KeyError(f"no definition for the diagnostic {metric!r}")


def _probe(metric: str) -> Definition:
    """`auc_<judge>_<errors>` or `score_<judge>_<steps>` of the judge probe."""
    quantity, judge, steps = metric.split("_", 2)
    group, _, kind = steps.partition(".")
    known = {"right": "right", "trained": "wrong in a way that training contained"}
    known["held_out"] = "wrong in a way that no training contained"
    if group not in known or quantity not in ("auc", "score"):
        raise KeyError(f"no definition for the diagnostic 'probe_{metric}'")
    meant = known[group] + (f" ({kind.replace('_', ' ')})" if kind else "")
    if quantity == "score":
        text = f"Mean score by {_whose(judge)} of steps that are {meant}, after true steps."
        return Definition(f"Probe, mean score by {_whose(judge)}", text, Kind.REAL)
    text = (
        f"Chance that {_whose(judge)} scores a right step above one that is {meant}, after the same true "
        "steps on average, ties half; interval over questions."
    )
    return Definition(f"Probe, AUC of {_whose(judge)}", text, Kind.REAL)


def _whose(score: str) -> str:
    return "the raw mean" if score == "mean" else f"the {score} judge"
