from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from qandai.retrieval.fuse import best, count_votes, fuse_runs, linear, ranks, rrf

SCORES = arrays(np.float32, st.integers(1, 30), elements=st.integers(-5, 5).map(float))
RUNS = st.lists(st.lists(st.integers(0, 20), unique=True, max_size=10), min_size=1, max_size=4)


@given(RUNS, st.data())
def test_fusion_loses_no_hit(runs: list[list[int]], data: st.DataObject) -> None:
    weights = [data.draw(st.floats(0.1, 5)) for _ in runs]
    fused = [item for item, _ in fuse_runs(runs, weights)]
    assert sorted(fused) == sorted({item for run in runs for item in run})


@given(st.lists(st.integers(0, 20), unique=True, max_size=10), st.floats(0.1, 5))
def test_one_run_keeps_its_order(run: list[int], weight: float) -> None:
    assert [item for item, _ in fuse_runs([run], [weight])] == run


def test_the_heavier_run_wins() -> None:
    assert [item for item, _ in fuse_runs([[1, 2], [2, 1], [2, 1]], [3, 1, 1])] == [1, 2]
    assert [item for item, _ in fuse_runs([[1, 2], [2, 1], [2, 1]], [1, 1, 1])] == [2, 1]


def test_runs_and_weights_must_pair() -> None:
    with pytest.raises(ValueError):
        fuse_runs([[1]], [1.0, 2.0])


@given(SCORES, st.integers(0, 40))
def test_the_best_are_the_head_of_a_stable_sort(scores: np.ndarray, count: int) -> None:
    assert best(scores, count).tolist() == np.argsort(-scores, kind="stable")[:count].tolist()


@given(SCORES)
def test_ranks_count_from_one_and_follow_the_scores(scores: np.ndarray) -> None:
    placed = ranks(scores)
    assert sorted(placed.tolist()) == list(range(1, len(scores) + 1))
    assert scores[placed.argmin()] == scores.max()


def test_linear_fusion_weighs_scores_and_rrf_weighs_ranks() -> None:
    signals = {"vectors": np.array([0.9, 0.1], np.float32), "bm25": np.array([0.0, 0.5], np.float32)}
    weights = {"vectors": 0.5, "bm25": 0.5}
    np.testing.assert_allclose(linear(signals, weights), [0.45, 0.3])
    np.testing.assert_allclose(rrf(signals, weights), [0.5 / 61 + 0.5 / 62] * 2, rtol=1e-6)


def test_a_signal_without_weight_counts_nothing() -> None:
    signals = {"vectors": np.array([0.9, 0.1], np.float32), "bm25": np.array([0.0, 9.0], np.float32)}
    assert linear(signals, {"vectors": 1.0}).argmax() == 0
    with pytest.raises(ValueError, match="weight"):
        linear(signals, {"names": 1.0})


@given(RUNS)
def test_votes_lose_no_hit_and_come_before_ranks(runs: list[list[int]]) -> None:
    counted = count_votes(runs)
    votes = [sum(item in run for run in runs) for item, _ in counted]
    assert sorted(item for item, _ in counted) == sorted({item for run in runs for item in run})
    assert votes == sorted(votes, reverse=True)


def test_of_equally_many_votes_the_better_rank_wins() -> None:
    assert [item for item, _ in count_votes([[1, 2, 3], [4, 2, 5]])] == [2, 1, 4, 3, 5]
