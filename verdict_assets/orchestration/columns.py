"""Where each column of a table comes from: the columns of other tables that its values are computed of.

Belongs here: that knowledge, for the lineage graph of columns in the UI. Does not: what a column means
(schemas). A column that comes from no table (a strategy's name, a metric's) stands in the configuration.
"""

from collections.abc import Iterator, Mapping, Sequence

import dagster as dg

from verdict_assets.schemas.catalogue import TABLES
from verdict_assets.schemas.table import Table

_ASKED = ("questions.question", "questions.options", "questions.image_sha256")
_STEP = ("candidates.text", *_ASKED)
_SCORES = ("raw_scores.score", "raw_scores.judge")
_WALKED = (*_SCORES, "candidates.candidate", "candidates.child")
_LABELS = ("step_labels.true_of_scene", "step_labels.follows", "step_labels.relevant", "step_labels.readable")
_TRACES = ("candidates.text", "candidates.finish", "candidates.blank_lines", "answers.end", "answers.rule")
_PROBED = ("judge_probe.score", "judge_probe.reason", "judge_probe.kind", "judge_probe.sound")
_MEASURED = (
    *_SCORES, "raw_scores.reason", *_LABELS, *_TRACES, "selections.chosen", "outcomes.closed",
    "outcomes.correct", *_PROBED,
)  # fmt: skip
_PAIRED = ("outcomes.correct", "outcomes.closed", "outcomes.question_id")
_RIVALS = ("base", "verdict")
_PAIRS = (
    "wins_{}", "losses_{}", "difference_{}", "difference_{}_lower", "difference_{}_upper", "p_{}",
    "smallest_detectable_{}",
)  # fmt: skip

# Table -> the tables from which its columns of the same name are taken over; the first that has one counts.
_TAKEN_OVER: Mapping[str, tuple[str, ...]] = {
    "candidates": ("questions",),
    "raw_scores": ("candidates", "questions"),
    "answers": ("candidates", "questions"),
    "judge_probe": ("questions",),
    "score_manifest": ("candidates", "raw_scores", "answers", "judge_probe"),
    "step_labels": ("candidates",),
    "consensus": ("raw_scores",),
    "selections": ("candidates", "raw_scores"),
    "outcomes": ("answers", "candidates", "raw_scores"),
    "world_diagnostics": ("outcomes",),
    "main_comparison": ("outcomes",),
}

# Table -> column -> what it is computed of, where that is not a column of the same name.
_COMPUTED: Mapping[str, Mapping[str, Sequence[str]]] = {
    "candidates": {
        "study": (),
        **dict.fromkeys(("node", "parent", "depth", "candidate", "text", "finish"), _ASKED),
        **dict.fromkeys(("state", "blank_lines", "child", "child_end"), _ASKED),
    },
    "raw_scores": {
        "judge": (),
        "score_set": (),
        **dict.fromkeys(("reply", "state", "score", "reason"), _STEP),
    },
    "answers": {
        "node": ("candidates.child",),
        "end": ("candidates.child_end",),
        "answer": ("candidates.text", "questions.options"),
        "rule": ("candidates.text",),
        "correct": ("candidates.text", "questions.options", "questions.gold"),
    },
    "judge_probe": {
        "study": (),
        "judge": (),
        **dict.fromkeys(
            ("item", "depth", "kind", "held_out", "text", "true_of_scene", "follows", "sound"), _ASKED
        ),
        **dict.fromkeys(("reply", "score", "reason"), _ASKED),
    },
    "score_manifest": {
        "table_name": (),
        **dict.fromkeys(
            (
                "rows", "sha256", "closed", "draft", "questions", "questions_closed",
                "requests", "prompt_tokens", "output_tokens",
            ),
            ("candidates.node", "raw_scores.score", "answers.answer", "judge_probe.score"),
        ),
    },
    "step_labels": dict.fromkeys(
        ("readable", "true_of_scene", "follows", "relevant", "kind"), ("candidates.text", "candidates.child")
    ),
    "consensus": {
        "complete": ("raw_scores.score",),
        **dict.fromkeys(
            ("raw_mean", "raw_mad", "raw_variance", "adjusted", "mean", "dispersion", "accepted"), _SCORES
        ),
    },
    "selections": {
        "strategy": (),
        "step": ("candidates.depth",),
        "incomplete": ("raw_scores.reason",),
        **dict.fromkeys(("chosen", "accepted_count", "fallback", "tie"), _WALKED),
    },
    "outcomes": {
        "strategy": (),
        "closed": ("answers.node", *_WALKED),
        "leaf": ("answers.node", *_WALKED),
        "answer": ("answers.answer", *_WALKED),
        "correct": ("answers.correct", *_WALKED),
        "end": ("candidates.child_end", *_WALKED),
        "steps": ("candidates.depth", *_WALKED),
        "missing_scores": ("raw_scores.reason",),
        **dict.fromkeys(
            ("judged_steps", "fallback_steps", "judged_candidates", "accepted_candidates"), _WALKED
        ),
    },
    "world_diagnostics": {
        "metric": (),
        **dict.fromkeys(("value", "numerator", "denominator", "lower", "upper"), _MEASURED),
    },
    "main_comparison": {
        "questions": ("outcomes.question_id",),
        **dict.fromkeys(
            ("accuracy", "lower", "upper", "bound_lower", "bound_upper"),
            ("outcomes.correct", "outcomes.closed"),
        ),
        **dict.fromkeys(
            ("acceptance_lower", "acceptance_upper"),
            ("outcomes.accepted_candidates", "outcomes.judged_candidates", "outcomes.closed"),
        ),
        **dict.fromkeys(
            ("fallback_lower", "fallback_upper"),
            ("outcomes.fallback_steps", "outcomes.judged_steps", "outcomes.closed"),
        ),
        "capped": ("outcomes.end",),
        **{column.format(rival): _PAIRED for rival in _RIVALS for column in _PAIRS},
    },
}  # fmt: skip


def origins(table: Table) -> dict[str, tuple[str, ...]]:
    """What each column of a table comes from, as `table.column`; nothing for a root table's columns.

    Raises:
        KeyError: a column of a table that has upstream tables is not accounted for.
    """
    if table.name not in _TAKEN_OVER:
        return {}
    computed = _COMPUTED[table.name]
    return {
        name: tuple(computed[name]) if name in computed else (_taken_over(table.name, name),)
        for name in table.names
    }


def column_lineage(table: Table) -> dg.TableColumnLineage:
    """The origins as Dagster shows them."""
    return dg.TableColumnLineage(
        deps_by_column={name: list(_deps(origin)) for name, origin in origins(table).items() if origin}
    )


def _taken_over(table: str, column: str) -> str:
    for source in _TAKEN_OVER[table]:
        if column in TABLES[source].names:
            return f"{source}.{column}"
    raise KeyError(f"nothing says where {table}.{column} comes from")


def _deps(origin: Sequence[str]) -> Iterator[dg.TableColumnDep]:
    for name in origin:
        table, column = name.split(".")
        yield dg.TableColumnDep(asset_key=table, column_name=column)
