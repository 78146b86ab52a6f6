"""Several opinions about the same passages made one.

Within one query, signals are fused by score, because how sure each is matters; across a question and its rewrites,
runs are fused by rank, because their scores do not compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qandai.retrieval.lexical import Scores

Signals = Mapping[str, Scores]
"""One array of scores a signal, all over the same passages in the same order; higher is better, and a step of one
signal means about as much as the same step of another."""

Weights = Mapping[str, float]
"""What each signal counts; one that is not named counts nothing."""

RRF_K = 60


def linear(signals: Signals, weights: Weights) -> Scores:
    """The weighted sum of the signals."""
    return _sum(signals, weights, lambda scores: scores)


def rrf(signals: Signals, weights: Weights) -> Scores:
    """Reciprocal rank fusion (Cormack et al. 2009): 1 / (60 + rank), summed by weight."""
    return _sum(signals, weights, lambda scores: (1.0 / (RRF_K + ranks(scores))).astype(np.float32))


def ranks(scores: Scores) -> NDArray[np.int64]:
    """The rank of each, from 1; of equals the earlier goes first."""
    order = np.argsort(-scores, kind="stable")
    placed = np.empty(len(scores), np.int64)
    placed[order] = np.arange(1, len(scores) + 1)
    return placed


def best(scores: Scores, count: int) -> NDArray[np.int64]:
    """Positions of the `count` highest scores, best first; of equals the earlier goes first."""
    count = min(count, len(scores))
    if count <= 0:
        return np.zeros(0, np.int64)
    # Everything that ties with the last place takes part, so that a partial sort cannot choose among equals.
    threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
    contenders = np.flatnonzero(scores >= threshold)
    return contenders[np.argsort(-scores[contenders], kind="stable")][:count]


def fuse_runs(runs: Sequence[Sequence[int]], weights: Sequence[float], *, k: float = RRF_K) -> list[tuple[int, float]]:
    """Ranked lists of items as one, best first, by weighted RRF; nothing that any run holds is lost. The smaller `k`,
    the more a place at the head counts beside one further down."""
    scores: dict[int, float] = {}
    for run, weight in zip(runs, weights, strict=True):
        for rank, item in enumerate(dict.fromkeys(run), start=1):
            scores[item] = scores.get(item, 0.0) + weight / (k + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def count_votes(runs: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    """Ranked lists of items as one by how many of them hold an item, of equals the one ranked better anywhere.

    The score is the share of the lists, and less than one list more for the rank.
    """
    votes: dict[int, int] = {}
    highest: dict[int, int] = {}
    for run in runs:
        for rank, item in enumerate(dict.fromkeys(run), start=1):
            votes[item] = votes.get(item, 0) + 1
            highest[item] = min(rank, highest.get(item, rank))
    scored = [(item, (votes[item] + 1 / (1 + highest[item])) / (len(runs) + 1)) for item in votes]
    return sorted(scored, key=lambda entry: (-entry[1], entry[0]))


def _sum(signals: Signals, weights: Weights, prepare: Callable[[Scores], Scores]) -> Scores:
    parts = [weights[name] * prepare(signals[name]) for name in signals if weights.get(name)]
    if not parts:
        raise ValueError("no signal has a weight")
    return sum(parts[1:], parts[0])
