from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eval.train import FEATURES, SHIPPED, Lesson, learn
from eval.trained import RANKERS, trained_on
from qandai.retrieval.ranker import Ranker

TELLING = FEATURES.index("pairs")


def lesson(seed: int) -> Lesson:
    """Ten candidates of which the right one has more of one kind of evidence, and noise of all others."""
    noise = np.random.default_rng(seed).normal(size=(10, len(FEATURES)))
    right = np.arange(10) == seed % 10
    noise[:, TELLING] += 4 * right
    return Lesson(noise, right, noise[:, 0], 1.0)


LESSONS = [lesson(seed) for seed in range(40)]


def test_what_tells_the_right_passage_is_what_counts_most() -> None:
    weights = learn(LESSONS)
    assert max(weights, key=lambda name: abs(weights[name])) == "pairs"
    assert weights["pairs"] > 0


def test_learning_twice_gives_the_same() -> None:
    assert learn(LESSONS) == learn(LESSONS)


def test_scores_spread_as_those_of_linear_fusion() -> None:
    weights = np.array([learn(LESSONS)[name] for name in FEATURES])
    made = np.mean([np.std(one.evidence @ weights) for one in LESSONS])
    assert made == pytest.approx(np.mean([np.std(one.plain) for one in LESSONS]), rel=1e-3)


def test_the_ranker_that_ships_weighs_what_the_search_knows() -> None:
    assert set(Ranker.read(SHIPPED).weights) == set(FEATURES)


@pytest.mark.parametrize(
    "path", sorted(set(RANKERS.glob("*.json")) - {RANKERS / "collections.json"}), ids=lambda p: p.stem
)
def test_a_ranker_for_a_collection_never_saw_it(path: Path) -> None:
    assert path.stem not in trained_on(path)
    assert set(trained_on(path)) | {path.stem} == set(trained_on(SHIPPED))
    assert set(json.loads(path.read_text())["data"]) == set(trained_on(path))
