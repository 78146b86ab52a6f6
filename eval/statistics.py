"""How sure a figure is: bootstrap intervals and a paired test. Seeded, so a run twice gives the same figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Kind = Literal["mean", "median", "p90", "p95"]

RESAMPLES = 2000
_CHUNK = 4_000_000  # numbers drawn at a time: 32 MB

_FIGURES: Mapping[Kind, Callable[[Values], Values]] = {
    "mean": lambda drawn: drawn.mean(axis=1),
    "median": lambda drawn: np.median(drawn, axis=1),
    "p90": lambda drawn: np.quantile(drawn, 0.9, axis=1),
    "p95": lambda drawn: np.quantile(drawn, 0.95, axis=1),
}


def interval(
    values: Sequence[float], kind: Kind = "mean", *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float] | None:
    """The 95 % percentile interval of a figure of `values` (Efron 1979); None of nothing."""
    kept = np.asarray(values, np.float64)
    if not kept.size:
        return None
    rng = np.random.default_rng(seed)
    rows = max(1, _CHUNK // kept.size)
    drawn = [
        _FIGURES[kind](kept[rng.integers(0, kept.size, (min(rows, resamples - begin), kept.size))])
        for begin in range(0, resamples, rows)
    ]
    low, high = np.quantile(np.concatenate(drawn), (0.025, 0.975))
    return float(low), float(high)


def paired(one: Sequence[float], other: Sequence[float], *, seed: int = 0, rounds: int = 10_000) -> float:
    """The two-sided p of a difference between the means of paired values, by randomisation (Fisher 1935).

    How often a difference as large comes about when each pair is swapped by the toss of a coin. 1 where nothing
    differs. Raises ValueError for lists that do not pair.
    """
    if len(one) != len(other):
        raise ValueError(f"{len(one)} values do not pair with {len(other)}")
    apart = np.asarray(one, np.float64) - np.asarray(other, np.float64)
    apart = apart[apart != 0]
    if not apart.size:
        return 1.0
    rng = np.random.default_rng(seed)
    seen = abs(apart.sum()) - 1e-9
    rows = max(1, _CHUNK // apart.size)
    as_large = 0
    for begin in range(0, rounds, rows):
        signs = rng.integers(0, 2, (min(rows, rounds - begin), apart.size)) * 2 - 1
        as_large += int((abs(signs @ apart) >= seen).sum())
    return (1 + as_large) / (1 + rounds)
