"""A simulated world for tests of analysis and reporting: invented candidates, scores, labels and answers.

Nothing here may ever reach a report that is shipped. All draws are hashes, so
that a world is a function of its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pandas as pd
import pytest

from verdict_assets.analysis import consensus as consensus_table
from verdict_assets.analysis import main_comparison, outcomes, selections, world_diagnostics
from verdict_assets.analysis.replays import replays
from verdict_assets.analysis.trees import Recorded
from verdict_assets.config.params import Consensus, Params, Statistics
from verdict_assets.config.studies import BaseSpec, DecodingSpec, GenerationSpec, JudgeSpec, StudySpec
from verdict_assets.schemas.answers import TABLE as ANSWERS
from verdict_assets.schemas.candidates import TABLE as CANDIDATES
from verdict_assets.schemas.judge_probe import TABLE as JUDGE_PROBE
from verdict_assets.schemas.raw_scores import TABLE as RAW_SCORES
from verdict_assets.schemas.step_labels import TABLE as STEP_LABELS

JUDGES = ("visual", "logical", "contextual")
STRATEGIES = (
    "base", "verdict", "mean", "max", "min", "majority", "variance", "no_rejection", "no_selection",
    "raw_average", "raw_average_rescaled", "weighted_mean", "visual_only", "logical_only", "contextual_only",
    "permuted",
)  # fmt: skip
STEPS = 6
VERBS = ("stands", "lies", "hangs", "leans", "rests", "sits")


def draw(*parts: object) -> float:
    """A number in [0, 1) from names."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big") / 2**56


def node_id(study: str, question: str, prefix: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join((study, question, *prefix)).encode()).hexdigest()


@dataclass(eq=False)
class ToyWorld:
    """Frames of a simulated run, and everything that follows from them."""

    params: Params
    studies: dict[str, StudySpec]
    questions: pd.DataFrame
    candidates: pd.DataFrame
    raw_scores: pd.DataFrame
    answers: pd.DataFrame
    step_labels: pd.DataFrame
    judge_probe: pd.DataFrame

    @property
    def recorded(self) -> Recorded:
        return Recorded(self.candidates, self.raw_scores, self.answers)

    @cache  # noqa: B019  (worlds live as long as the tests)
    def selections(self) -> pd.DataFrame:
        return selections.build(
            self.candidates, self.raw_scores, self.answers, self.questions,
            studies=self.studies, params=self.params,
        )  # fmt: skip

    @cache  # noqa: B019
    def outcomes(self) -> pd.DataFrame:
        return outcomes.build(
            self.candidates, self.raw_scores, self.answers, self.questions,
            studies=self.studies, params=self.params,
        )  # fmt: skip

    @cache  # noqa: B019
    def consensus(self) -> pd.DataFrame:
        return consensus_table.build(self.raw_scores, self.studies, self.params)

    @cache  # noqa: B019
    def comparison(self) -> pd.DataFrame:
        return main_comparison.build(self.outcomes(), self.params.statistics)

    @cache  # noqa: B019
    def diagnostics(self) -> pd.DataFrame:
        return world_diagnostics.build(
            self.candidates,
            self.raw_scores,
            self.answers,
            self.step_labels,
            self.selections(),
            self.outcomes(),
            self.judge_probe,
            studies=self.studies, statistics=self.params.statistics,
        )  # fmt: skip


def params() -> Params:
    return Params(
        consensus=Consensus({"visual": 1.5, "logical": 1.0, "contextual": 0.8}, 0.6, 0.1),
        variance_limit=0.068,
        raw_average_epsilon_rescaled=0.244,
        missing="last",
        candidates=3,
        max_steps=40,
        max_blank=4,
        repeat_limit=3,
        statistics=Statistics(confidence=0.95, bootstrap_draws=400, bootstrap_seed=0, power=0.8),
    )


def study(name: str, benchmarks: dict[str, int | None]) -> StudySpec:
    return StudySpec(
        name=name,
        title={"main": "Main comparison"}.get(name, f"Simulated study {name}"),
        dtype="float32",
        image_recipe="simulated",
        base=BaseSpec("simulated", "base.txt"),
        judges=tuple(JudgeSpec(judge, "simulated", f"{judge}.txt") for judge in JUDGES),
        generation=GenerationSpec(0.8, 0.6, 40, 0),
        judge_decoding=(DecodingSpec("greedy", 0.0, 1.0, 8),),
        benchmarks=benchmarks,
        strategies=STRATEGIES,
    )


def probed(key: dict[str, str], item: int, kind: str, judge: str) -> dict[str, object]:
    """A probed step and a judge's score of it, which is low where the judge sees the error."""
    overlooks = {"right": 1.0, "shift": 0.1, "repeat": 0.3, "swap": 0.5, "premature": 0.2}[kind]
    level = 0.6 + 0.4 * draw("level", key["question_id"], item, judge)
    seen = draw("seen", key["question_id"], item, judge) >= overlooks
    missing = draw("unread", key["question_id"], item, judge) < 0.01
    score = round(level - 0.5 if seen else level, 1)
    return {
        "depth": 1 if item < 3 else 5,
        "kind": kind,
        "held_out": kind in ("swap", "premature"),
        "text": f"step {item} : {kind} .",
        "true_of_scene": kind in ("right", "repeat"),
        "follows": kind != "repeat",
        "sound": kind == "right",
        "reply": "?" if missing else str(score),
        "score": None if missing else score,
        "reason": "not_a_number" if missing else None,
    }


class Simulation:
    """Answers what a frontier asks for, until nothing is asked."""

    def __init__(self, studies: dict[str, StudySpec], limits: Params) -> None:
        self.studies, self.params = studies, limits
        self.rows: dict[str, list[dict[str, object]]] = {
            name: [] for name in ("candidates", "raw_scores", "answers", "step_labels", "judge_probe")
        }
        self.prefix: dict[str, tuple[str, ...]] = {}
        self.known: dict[str, int] = {}
        self.questions = pd.DataFrame(
            {
                "benchmark": benchmark,
                "question_id": f"{benchmark}-{at:04d}",
                "position": at,
                "type": ("count", "relation")[at % 2],
                "question": "which shape is left of the red circle ?",
                "options": ["square", "star", "ring", "cross"],
                "gold": "ABCD"[at % 4],
                "image_sha256": [hashlib.sha256(f"{benchmark}{at}".encode()).hexdigest()],
            }
            for benchmark in sorted({b for s in studies.values() for b in s.benchmarks})
            for at in range(max(s.benchmarks.get(benchmark) or 0 for s in studies.values()))
        )

    def world(self) -> ToyWorld:
        return ToyWorld(
            self.params,
            self.studies,
            self.questions,
            pd.DataFrame(self.rows["candidates"], columns=list(CANDIDATES.names)),
            pd.DataFrame(self.rows["raw_scores"], columns=list(RAW_SCORES.names)),
            pd.DataFrame(self.rows["answers"], columns=list(ANSWERS.names)),
            pd.DataFrame(self.rows["step_labels"], columns=list(STEP_LABELS.names)),
            pd.DataFrame(self.rows["judge_probe"], columns=list(JUDGE_PROBE.names)),
        )

    def grow(self, rounds: int = 60) -> ToyWorld:
        """Rounds of replay and simulated answers; fewer rounds leave the world unfinished."""
        for name, spec in self.studies.items():
            for benchmark, limit in spec.benchmarks.items():
                for at in range(limit or 0):
                    self.sample(name, benchmark, f"{benchmark}-{at:04d}", (), 1)
        for _ in range(rounds):
            asked = 0
            current = self.world()
            for walk in replays(current.recorded, self.questions, self.studies, self.params):
                asked += self.answer(walk)
            if not asked:
                self.probe()
                break
        return self.world()

    def probe(self) -> None:
        """Two places a question: right, and corrupted by kinds that judges overlook more or less often."""
        for name, spec in self.studies.items():
            for benchmark, limit in spec.benchmarks.items():
                for at in range(limit or 0):
                    odd, late = at % 2, at // 2 % 2
                    kinds = ("right", ("shift", "repeat")[odd], ("swap", "premature")[late], "right", "shift")
                    key = {"study": name, "benchmark": benchmark, "question_id": f"{benchmark}-{at:04d}"}
                    for item, kind in enumerate(kinds):
                        for judge in JUDGES:
                            self.rows["judge_probe"].append(
                                key | {"item": item, "judge": judge, **probed(key, item, kind, judge)}
                            )

    def answer(self, walk) -> int:  # type: ignore[no-untyped-def]
        frontier, tree = walk.replay.frontier, walk.tree

        def place(node: int) -> tuple[str, str, str, tuple[str, ...]]:
            question = tree.questions[int(tree.question[node])]
            return walk.study, walk.benchmark, question, self.prefix[tree.ids[node]]

        for node, count in zip(frontier.candidates, frontier.candidates_count, strict=True):
            self.sample(*place(int(node)), int(count))
        for node, score_set in frontier.scores:
            self.score(*place(int(node)), score_set)
        for node in frontier.answers:
            self.read(*place(int(node)))
        return len(frontier)

    def sample(self, name: str, benchmark: str, question: str, prefix: tuple[str, ...], count: int) -> None:
        node = node_id(name, question, prefix)
        self.prefix[node] = prefix
        for index in range(self.known.get(node, 0), count):
            sound = draw("sound", node, index) < 0.62
            variant = int(draw("text", node, index) * 4)
            text = f"step {len(prefix) + 1} : the shape {VERBS[variant]} {'left' if sound else 'right'} ."
            after = (*prefix, text)
            child = node_id(name, question, after)
            self.prefix[child] = after
            key = {
                "study": name,
                "benchmark": benchmark,
                "question_id": question,
                "node": node,
                "candidate": index,
            }
            self.rows["candidates"].append(
                key
                | {
                    "parent": node_id(name, question, prefix[:-1]) if prefix else None,
                    "depth": len(prefix),
                    "text": text,
                    "finish": "eos" if len(after) == STEPS else "newline",
                    "state": "ok",
                    "blank_lines": int(draw("blank", node, index) < 0.01),
                    "child": child,
                    "child_end": "eos" if len(after) == STEPS else None,
                }
            )
            readable = draw("readable", text, node) > 0.02
            self.rows["step_labels"].append(
                key
                | {
                    "readable": readable,
                    "true_of_scene": sound if readable else None,
                    "follows": (sound or variant == 0) if readable else None,
                    "relevant": variant != 3 if readable else None,
                    "kind": "perception" if readable else None,
                }
            )
        self.known[node] = max(count, self.known.get(node, 0))

    def score(
        self, name: str, benchmark: str, question: str, prefix: tuple[str, ...], score_set: str
    ) -> None:
        node = node_id(name, question, prefix)
        for row in [row for row in self.rows["candidates"][-20_000:] if row["node"] == node]:
            shared = draw("mood", node, row["text"])
            for judge in JUDGES:
                noise = (
                    shared
                    if draw("agree", node, row["text"], judge) < 0.75
                    else draw(node, row["text"], judge)
                )
                level = 0.35 * noise + (0.6 if "left" in str(row["text"]) else 0.35)
                score: float | None = min(1.0, round(level, 1))
                if draw("missing", node, row["text"], judge) < 0.002:
                    score = None
                self.rows["raw_scores"].append(
                    {
                        "study": name,
                        "benchmark": benchmark,
                        "question_id": question,
                        "node": node,
                        "candidate": row["candidate"],
                        "judge": judge,
                        "score_set": score_set,
                        "reply": "?" if score is None else str(score),
                        "state": "ok",
                        "score": score,
                        "reason": "not a number" if score is None else None,
                    }
                )

    def read(self, name: str, benchmark: str, question: str, prefix: tuple[str, ...]) -> None:
        wrong = sum("right" in text for text in prefix)
        gold = str(self.questions.set_index("question_id").loc[question, "gold"])
        correct = draw("answer", benchmark, question, prefix) < max(0.2, 0.95 - 0.15 * wrong)
        letter = gold if correct else "ABCD"["ABCD".index(gold) - 1]
        self.rows["answers"].append(
            {
                "study": name,
                "benchmark": benchmark,
                "question_id": question,
                "node": node_id(name, question, prefix),
                "end": "eos",
                "answer": letter,
                "rule": "last line",
                "correct": correct,
            }
        )


@pytest.fixture(scope="session")
def toy_world() -> Callable[..., ToyWorld]:
    """toy_world(questions=..., studies=(...), benchmarks=(...), rounds=...)."""

    def make(
        questions: int = 20,
        studies: tuple[str, ...] = ("main",),
        benchmarks: tuple[str, ...] = ("scenes_2d",),
        rounds: int = 60,
    ) -> ToyWorld:
        specs = {name: study(name, dict.fromkeys(benchmarks, questions)) for name in studies}
        return Simulation(specs, params()).grow(rounds)

    return make


@pytest.fixture(scope="session")
def closed_world(toy_world: Callable[..., ToyWorld]) -> ToyWorld:
    return toy_world()


@pytest.fixture(scope="session")
def open_world(toy_world: Callable[..., ToyWorld]) -> ToyWorld:
    return toy_world(questions=8, rounds=4)
