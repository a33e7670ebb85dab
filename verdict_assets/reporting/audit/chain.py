"""The chain behind one number: tables, paths, replies, prompts, pictures, weights, layers, run.

Belongs here: collecting the links, as plain values. Does not belong here: printing them (`text`), computing
tables (the caller hands them in), and the requests of an example (`rollout.trail`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from verdict_assets.config.fingerprint import Plain, fingerprint
from verdict_assets.config.studies import StudySpec
from verdict_assets.reporting.audit.reported import Row
from verdict_assets.reporting.lineage import Lineage, Upstream, ancestry

SEEDS = (
    "the seed of a sampled answer is the first 63 bits of sha256('seed' + key of the request); "
    "a greedy answer has none; the base model's generation seed is part of the key"
)
RECORDED = ("candidates", "raw_scores", "answers", "judge_probe")
_RIVALS = ("base", "verdict")
_OF_A_QUESTION = (
    "question_id", "strategy", "score_set", "gold", "answer", "correct", "end", "steps", "fallback_steps",
    "leaf",
)  # fmt: skip

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, slots=True)
class Link:
    """One table on the way. `rows`: those that the number rests on; the hashes are of the whole table."""

    table: str
    rows: int
    rows_sha256: str
    fingerprint: str
    code: str


@dataclass(frozen=True, slots=True)
class Walk:
    """What one strategy did on the number's questions."""

    strategy: str
    score_set: str
    outcomes: Mapping[str, int]
    selections: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Chain:
    """Everything behind one number; parts that a number does not have are empty.

    replies: how many rows models filled. prompts, weights, layers: hashes by name. images: sha256 of every
    picture by question. example: (question, node) whose answers show how all were asked for.
    """

    number: Row
    links: tuple[Link, ...]
    walks: tuple[Walk, ...]
    replies: Mapping[str, int]
    prompts: Mapping[str, Plain]
    weights: Mapping[str, Plain]
    images: Mapping[str, tuple[str, ...]]
    seeds: str
    layers: Mapping[str, Mapping[str, str]]
    run: Mapping[str, object]
    questions: tuple[Mapping[str, Plain], ...]
    example: tuple[str, str] | None


def build(number: Row, lineage: Lineage, now: Upstream, tables: Tables, study: StudySpec | None) -> Chain:
    """The chain of a number.

    tables, study: those of the number's study and benchmark; none for a number that shows the configuration.
    """
    run = {
        "run_id": lineage.run_id,
        "job": lineage.job,
        "computed_at": lineage.computed_at,
        "machine": dict(lineage.machine),
    }
    table = number["id"].split("/")[0]
    if study is None:
        return Chain(number, (), (), {}, {}, {}, {}, "", {}, run, (), None)
    pair = f"{number['study']}/{number['benchmark']}"
    paths = _chosen_by(number, tables) if "outcomes" in ancestry(now.bases, table) else []
    mine = {name: _of_paths(tables[name], paths) for name in ("outcomes", "selections")}
    models = {study.base.model, *(judge.model for judge in study.judges)}
    return Chain(
        number=number,
        links=tuple(_links(number, lineage, now, {**tables, **mine}, pair)),
        walks=tuple(_walk(strategy, score_set, mine) for strategy, score_set in paths),
        replies=_replies(number, tables, mine["selections"], paths),
        prompts={f"prompts/{name}": now.reads[f"prompts.{name}"] for name in study.prompts},
        weights={name: now.reads[f"weights.{name}"] for name in sorted(models)},
        images=_images(tables),
        seeds=SEEDS,
        layers=now.layers,
        run=run,
        questions=tuple(_questions(tables, mine["outcomes"])),
        example=_example(tables, mine["selections"] if paths else tables["selections"]),
    )


def _chosen_by(number: Row, tables: Tables) -> list[tuple[str, str]]:
    """(strategy, score set) of every path that the number rests on: its own, and a rival's if it compares.

    A number of no strategy rests on all of them.
    """
    found = tables["outcomes"][["strategy", "score_set"]].drop_duplicates()
    every = [(str(one), str(other)) for one, other in found.itertuples(index=False)]
    strategy, score_set = number["strategy"], number["score_set"]
    if not strategy:
        return every
    mine = [pair for pair in every if pair[0] == strategy and score_set in ("", pair[1])]
    rival = number["id"].rpartition("_")[2]
    if not score_set or rival not in _RIVALS:
        return mine
    theirs = [pair for pair in every if pair[0] == rival]
    return mine + ([pair for pair in theirs if pair[1] == score_set] or theirs)[:1]


def _of_paths(frame: pd.DataFrame, paths: list[tuple[str, str]]) -> pd.DataFrame:
    keys = pd.MultiIndex.from_frame(frame[["strategy", "score_set"]])
    return frame[keys.isin(paths)]


def _links(number: Row, lineage: Lineage, now: Upstream, tables: Tables, pair: str) -> list[Link]:
    table = number["id"].split("/")[0]
    links = []
    for name in ancestry(now.bases, table):
        facts = lineage.tables.get(name, {})
        links.append(_link(name, len(_rows(tables[name], number, table)), facts, now.bases[name].code))
    code = now.bases[pair].code
    recorded = lineage.partitions.get(pair, {})
    return links + [
        _link(f"{name} {pair}", len(tables[name]), recorded.get(name, {}), code) for name in RECORDED
    ]


def _link(name: str, rows: int, facts: Mapping[str, str | int], code: str) -> Link:
    return Link(name, rows, str(facts.get("rows_sha256", "")), str(facts.get("fingerprint", "")), code)


def _rows(frame: pd.DataFrame, number: Row, table: str) -> pd.DataFrame:
    """The number's own row of its own table, and all rows of others."""
    _, place, column = number["id"].split("/")
    if table == "main_comparison" and "accuracy" in frame.columns:
        return frame[(frame["strategy"] == number["strategy"]) & (frame["score_set"] == number["score_set"])]
    if table == "world_diagnostics" and "metric" in frame.columns:
        return frame[frame["metric"] == column]
    if table == "score_manifest" and "table_name" in frame.columns:
        return frame[frame["table_name"] == (place.split(".")[2] if place.count(".") == 2 else "candidates")]
    return frame


def _walk(strategy: str, score_set: str, mine: Tables) -> Walk:
    key = [(strategy, score_set)]
    ends, picks = _of_paths(mine["outcomes"], key), _of_paths(mine["selections"], key)
    correct = ends["correct"].astype("boolean").fillna(False)
    outcomes = {
        "questions": len(ends),
        "right": int(correct.sum()),
        "unfinished": int((~ends["closed"].astype(bool)).sum()),
        "without an answer": int((ends["closed"].astype(bool) & ends["answer"].isna()).sum()),
        "stopped by the cap": int((ends["end"] == "cap").sum()),
    }
    selections = {
        "steps": len(picks),
        "judged": int(ends["judged_steps"].sum()),
        "fallbacks": int(picks["fallback"].sum()),
        "ties": int(picks["tie"].sum()),
        "with a missing score": int(picks["incomplete"].sum()),
    }
    return Walk(strategy, score_set, outcomes, selections)


def _replies(
    number: Row, tables: Tables, selections: pd.DataFrame, paths: list[tuple[str, str]]
) -> dict[str, int]:
    """Rows that models filled: along the paths for a strategy's number, all of the pair for any other."""
    candidates, scores = tables["candidates"], tables["raw_scores"]
    if number["strategy"]:
        nodes, sets = set(selections["node"]), {score_set for _, score_set in paths}
        candidates = candidates[candidates["node"].isin(nodes)]
        scores = scores[scores["node"].isin(nodes) & scores["score_set"].isin(sets)]
    return {
        "candidate steps": len(candidates),
        "judge replies": len(scores),
        "judge replies without a score": int(scores["score"].isna().sum()),
        "finished chains": len(tables["answers"]),
        "judge replies of the probe": len(tables["judge_probe"]),
    }


def _images(tables: Tables) -> dict[str, tuple[str, ...]]:
    """The pictures of every question that the study asks."""
    asked = set(tables["outcomes"]["question_id"])
    rows = tables["questions"]
    return {
        str(question): tuple(images)
        for question, images in zip(rows["question_id"], rows["image_sha256"], strict=True)
        if question in asked
    }


def images_sha256(images: Mapping[str, tuple[str, ...]]) -> str:
    """One hash over all pictures of a number's questions."""
    return fingerprint({question: list(hashes) for question, hashes in images.items()})


def _questions(tables: Tables, outcomes: pd.DataFrame) -> list[Mapping[str, Plain]]:
    """What each path answered to each question, beside the right answer."""
    gold = tables["questions"][["question_id", "gold"]]
    rows = outcomes.merge(gold, on="question_id", how="left")[list(_OF_A_QUESTION)]
    return [
        {str(name): None if pd.isna(value) else _plain(value) for name, value in row.items()}
        for row in rows.to_dict("records")
    ]


def _plain(value: object) -> Plain:
    """A cell without numpy's types, which JSON does not know."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return int(value) if isinstance(value, int | np.integer) else str(value)


def _example(tables: Tables, selections: pd.DataFrame) -> tuple[str, str] | None:
    """The first place of the paths at which there was something to choose, or the first at all."""
    if selections.empty:
        return None
    drawn = tables["candidates"].groupby("node")["candidate"].count()
    several = selections[selections["node"].map(drawn) > 1]
    first = (several if len(several) else selections).iloc[0]
    return str(first["question_id"]), str(first["node"])
