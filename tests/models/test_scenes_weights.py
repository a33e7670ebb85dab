"""The committed weights, grown on a few questions in process: they see, write steps and give scores."""

from pathlib import Path

import pytest

from verdict_assets.benchmarks.images import image_source
from verdict_assets.config.paths import find_project
from verdict_assets.inference.engines.transformers_engine import TransformersEngine
from verdict_assets.inference.request import Request
from verdict_assets.inference.store import Store
from verdict_assets.rollout.expand import expand
from verdict_assets.rollout.extract import Extract, extract
from verdict_assets.rollout.partition import Partition, open_partition

ROOT = find_project(Path(__file__).parent).root
BENCHMARK = "scenes_2d"


@pytest.fixture(scope="module")
def partition() -> Partition:
    return open_partition(ROOT, "main", BENCHMARK, limit=3)


def engine(batch_size: int) -> TransformersEngine:
    weights = ROOT / "data" / "weights"
    folders = {folder.name: folder for folder in weights.iterdir() if folder.is_dir()}
    return TransformersEngine(folders, image_source(ROOT, [BENCHMARK]), batch_size=batch_size)


@pytest.fixture(scope="module")
def grown(partition: Partition, tmp_path_factory: pytest.TempPathFactory) -> Extract:
    store = Store.open(frozen=[], open_layer=tmp_path_factory.mktemp("store"))
    expand(partition, store, engine(96), run_id="test")
    return extract(partition, store)


def test_every_trace_ends_in_an_answer(grown: Extract) -> None:
    assert set(grown.answers["question_id"]) == set(grown.candidates["question_id"])
    assert len(set(grown.answers["question_id"])) == 3
    assert (grown.answers["end"] == "eos").mean() > 0.9
    assert grown.answers["answer"].notna().mean() > 0.9


def test_judges_give_scores(grown: Extract) -> None:
    assert set(grown.raw_scores["judge"]) == {"visual", "logical", "contextual"}
    assert grown.raw_scores["score"].notna().mean() > 0.95


def test_steps_are_whole(grown: Extract) -> None:
    assert grown.candidates["state"].isin(["ok"]).mean() > 0.95
    assert set(grown.candidates["finish"]) <= {"newline", "eos", "length"}


def test_a_picture_matters(partition: Partition) -> None:
    """The same question about other pictures gets other steps; the second step is the first that looks."""
    hashes = [question.image_sha256 for question in partition.questions]
    root = partition.asking.root(partition.questions[0])
    running = engine(96)
    first = dict(running.run([Request(root)]))[0]
    texts = set()
    for images in hashes:
        place = type(root)(root.setup, images, root.user, assistant=first.text + "\n")
        texts.add(dict(running.run([Request(place)]))[0].text)
    assert len(texts) > 1
