"""Figures of a run. Shares are 0 to 1; a question without an answer in the list counts 0."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import numpy as np


def hit_at(k: int, found: Sequence[Sequence[bool]]) -> float:
    """The share of questions with a right passage among the first `k`; `found` says so of each ranked passage."""
    return mean([any(ranked[:k]) for ranked in found])


def mrr(found: Sequence[Sequence[bool]]) -> float:
    """The mean of 1 / rank of the first right passage, over as many ranks as were kept."""
    return mean([next((1 / rank for rank, right in enumerate(ranked, 1) if right), 0.0) for ranked in found])


def ndcg_at(k: int, found: Sequence[Sequence[bool]], relevant: Sequence[int]) -> float:
    """Järvelin & Kekäläinen 2002 with gains 0 and 1; `relevant` is how many right passages there are in all."""
    shares = []
    for ranked, count in zip(found, relevant, strict=True):
        ideal = sum(1 / log2(rank + 1) for rank in range(1, min(k, count) + 1))
        gained = sum(right / log2(rank + 1) for rank, right in enumerate(ranked[:k], 1))
        shares.append(gained / ideal if ideal else 0.0)
    return mean(shares)


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def quantile(values: Sequence[float], share: float) -> float | None:
    """None of nothing."""
    return float(np.quantile(values, share)) if len(values) else None
