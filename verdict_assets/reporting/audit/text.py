"""An audit as text for a terminal.

Belongs here: words, order, how much of a long list is shown. Does not belong here: what is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from verdict_assets.reporting.audit.chain import Chain, Walk, images_sha256
from verdict_assets.reporting.audit.changes import Change, Kind
from verdict_assets.reporting.audit.reported import Difference, Row
from verdict_assets.rollout.trail import Call

_DIGITS = 12
_LISTED = 3
RESTORE = "restore it (git checkout, or dvc pull): answers were recorded with what it was"
RELOCK = "restore it (git checkout, or dvc checkout); if it was made anew, `make dvc-lock` records that"
RECOMPUTE = "run the job `recompute`, which moves the numbers"


def chain(found: Chain, calls: Sequence[Call], *, questions: bool) -> str:
    """The chain, from the number to the run; `questions` adds a line for each question of each path."""
    parts = [number(found.number)]
    if found.links:
        parts.append(_links(found))
        if found.walks:
            parts.append(_block("outcomes and selections", map(_walk, found.walks)))
        parts.append(_block("raw replies", [*_pairs(found.replies), *_calls(calls)]))
        parts.append(_block("prompts", _hashes(found.prompts)))
        pictures = sum(map(len, found.images.values()))
        parts.append(_block("images", [f"{pictures} pictures, together {images_sha256(found.images)}"]))
        parts.append(_block("weights", _hashes(found.weights)))
        parts.append(_block("seeds", [found.seeds]))
        layers = [
            f"{name}/{file}  {sha}" for name, files in found.layers.items() for file, sha in files.items()
        ]
        parts.append(_block("layers", layers))
    run = found.run
    parts.append(_block("run", [f"{run['run_id']}, job {run['job']}, {run['computed_at']}"]))
    if questions and found.questions:
        parts.append(_table(found.questions, found.images))
    return "\n".join(parts)


def number(row: Row) -> str:
    """The number as it was reported."""
    counts = f" = {row['numerator']} / {row['denominator']}" if row["denominator"] else ""
    interval = f", interval {row['lower']} to {row['upper']}" if row["lower"] else ""
    draft = ", draft: it rests on answers that are not frozen" if row["draft"] == "yes" else ""
    lines = [f"{row['value'] or 'no value'}{counts}{interval}{draft}", f"definition: {row['definition']}"]
    return _block(row["id"], lines)


def findings(touched: Mapping[Change, Sequence[str]]) -> list[str]:
    """Every change with the numbers it touches."""
    lines = []
    for change, numbers in touched.items():
        lines.append(f"{'REFUSED' if change.refused else 'CHANGED'}  {change.text}")
        lines.append(f"  touches {_listed(numbers)}")
        lines.append(f"  what to do: {_remedy(change)}")
    return lines


def differences(found: Iterable[Difference]) -> list[str]:
    """Every cell that was not what was reported."""
    return [
        f"DIFFERS  {one.number}: {one.column} is reported as {one.reported or 'nothing'}, "
        f"computed {one.found or 'nothing'}"
        for one in found
    ]


def summary(
    count: int, touched: Mapping[Change, Sequence[str]], found: Sequence[Difference], *, verified: bool
) -> str:
    """The outcome in a line."""
    numbers = _count(count, "number")
    if found:
        return f"{len({one.number for one in found})} of {numbers} are not what was reported"
    same = f"{numbers} computed again from the stored answers: the same to the bit"
    if touched:
        return f"{numbers} audited: {_count(len(touched), 'change')} upstream" + (
            f"; {same}" if verified else ""
        )
    return same if verified else f"{numbers} audited: nothing upstream has changed"


def _remedy(change: Change) -> str:
    if change.kind is Kind.FOLDER:
        return RELOCK
    return RESTORE if change.refused else RECOMPUTE


def _links(found: Chain) -> str:
    lines = []
    for link in found.links:
        of = f"rows {link.rows_sha256[:_DIGITS] or '(not recorded)'}, code {link.code[:_DIGITS]}"
        made = f", fingerprint {link.fingerprint[:_DIGITS]}" if link.fingerprint else ""
        lines.append(f"{link.table}: {link.rows} rows here; {of}{made}")
    return _block("tables, each made of those below it", lines)


def _walk(walk: Walk) -> str:
    return f"{walk.strategy} [{walk.score_set}]: {', '.join(_pairs({**walk.outcomes, **walk.selections}))}"


def _calls(calls: Sequence[Call]) -> list[str]:
    if not calls:
        return []
    first = calls[0]
    lines = [f"for example, from {first.shard}, run {first.run_id}, {first.provenance}:"]
    for call in calls:
        about = "" if call.about is None else f" of {call.about!r}"
        seed = "greedy" if call.seed is None else f"seed {call.seed}"
        lines.append(
            f"  {call.role}{about}: {call.reply!r} ({call.state}; request {call.request[:_DIGITS]}, {seed})"
        )
    return lines


def _table(rows: Sequence[Mapping[str, object]], images: Mapping[str, Sequence[str]]) -> str:
    names = list(rows[0])
    lines = ["\t".join([*names, "images"])]
    for row in rows:
        shown = ",".join(images.get(str(row["question_id"]), ()))
        lines.append("\t".join([*("" if row[name] is None else str(row[name]) for name in names), shown]))
    return _block("questions", lines)


def _pairs(counts: Mapping[str, int]) -> list[str]:
    """What was counted, without what did not occur."""
    return [f"{count} {name}" for name, count in counts.items() if count]


def _hashes(values: Mapping[str, object]) -> list[str]:
    return [f"{name}  {value}" for name, value in values.items()]


def _block(title: str, lines: Iterable[str]) -> str:
    return "\n".join([title, *(f"  {line}" for line in lines)])


def _listed(numbers: Sequence[str]) -> str:
    """How many numbers of which table, and the first of them."""
    tables = Counter(number.split("/")[0] for number in numbers)
    counts = ", ".join(f"{count} of {table}" for table, count in tables.items())
    more = ", ... (--json lists them)" if len(numbers) > _LISTED else ""
    return f"{_count(len(numbers), 'number')} ({counts}): {', '.join(numbers[:_LISTED])}{more}"


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
