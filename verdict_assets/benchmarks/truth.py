"""The truth of candidate steps, where a benchmark knows it: only the scenes world does.

Belongs here: the `step_labels` table. The oracle itself is `scenes.oracle`.
"""

from pathlib import Path

import pandas as pd

from verdict_assets.benchmarks.load import read_columns
from verdict_assets.scenes.oracle import label_step
from verdict_assets.scenes.questions import KINDS, SceneQuestion
from verdict_assets.scenes.world import Scene

COLUMNS = (
    "study",
    "benchmark",
    "question_id",
    "node",
    "candidate",
    "readable",
    "true_of_scene",
    "follows",
    "relevant",
    "kind",
)


def known_scenes(root: Path, benchmark: str) -> dict[str, tuple[Scene, SceneQuestion]]:
    """Scene and question by question id; empty for a benchmark that does not come from the scenes world."""
    if benchmark not in KINDS:
        return {}
    rows = read_columns(root, benchmark, ("question_id", "scene", "asked"))
    return {
        str(key): (Scene.from_json(str(scene)), SceneQuestion.from_json(str(asked)))
        for key, scene, asked in rows
    }


def build_step_labels(candidates: pd.DataFrame, root: Path) -> pd.DataFrame:
    """A label for every candidate step of a benchmark with known truth.

    ``candidates`` has the columns of the table of that name. Candidates that have no text (empty, error) get
    no row: there is no step to label.
    """
    rows: list[tuple[object, ...]] = []
    for (study, benchmark), part in candidates.groupby(["study", "benchmark"], sort=True):
        scenes = known_scenes(root, str(benchmark))
        for question_id, tree in part.groupby("question_id", sort=True) if scenes else ():
            scene, question = scenes[str(question_id)]
            steps = _prefixes(tree)
            for row in tree.itertuples(index=False):
                text = str(row.text).strip()
                if text:
                    label = label_step(scene, question, steps[str(row.node)], text)
                    key = (study, benchmark, question_id, row.node, row.candidate)
                    rows.append(
                        (*key, label.readable, label.true_of_scene, label.follows, label.relevant, label.kind)
                    )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _prefixes(tree: pd.DataFrame) -> dict[str, list[str]]:
    """The steps that lead to each node of one question's tree."""
    steps: dict[str, list[str]] = {}
    for row in tree.sort_values(["depth", "node", "candidate"]).itertuples(index=False):
        before = steps.setdefault(str(row.node), [])
        if isinstance(row.child, str) and row.child not in steps:
            steps[row.child] = [*before, str(row.text).strip()]
    return steps
