"""Several models over one archive: their vectors stand side by side in a row of the shelf.

One model misses what another finds: a question and its answer are near in one space or in the other. Each part of a
row is as long as the others and the row has length 1, so the cosine of whole rows is the mean of the models' cosines.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qandai.ports import Embedder, Reading, Vectors

Ensemble = tuple[Embedder, ...]
"""At least one. The floor of the first decides what counts as never answered."""


def model_of(ensemble: Ensemble) -> str:
    """As a collection's recipe names it."""
    return "+".join(embedder.model for embedder in ensemble)


def read_queries(ensemble: Ensemble, texts: Sequence[str]) -> list[tuple[Reading, ...]]:
    """For each text what each model makes of it, in their order, worked out side by side. At least one text. Raises
    ProviderError."""
    first, *others = [partial(embedder.read_query, text) for text in texts for embedder in ensemble]
    if not others:
        return [(first(),)]
    side_by_side = max(len(ensemble) - 1, os.cpu_count() or 1)  # models run without Python's lock
    with ThreadPoolExecutor(min(len(others), side_by_side)) as threads:
        coming = [threads.submit(job) for job in others]
        found = [first(), *(each.result() for each in coming)]
    width = len(ensemble)
    return [tuple(found[at : at + width]) for at in range(0, len(found), width)]


def join(parts: Sequence[Vectors]) -> Vectors:
    """(n, sum of the dimensions), rows of length 1. All parts have n rows of length 1."""
    joined = np.concatenate(parts, axis=1)
    return joined if len(parts) == 1 else (joined / np.sqrt(np.float32(len(parts)))).astype(np.float32)


def cosines(
    rows: Vectors, query: Sequence[NDArray[np.float32]], *, models: int | None = None
) -> list[NDArray[np.float32]]:
    """(n,) for each model of the query: the similarity of every row to its vector of that model. `models`: how many
    stand in a row, where the query has vectors of the first ones only."""
    scale = np.sqrt(np.float32(len(query) if models is None else models))
    found = []
    at = 0
    for vector in query:
        part = rows[:, at : at + len(vector)]
        at += len(vector)
        # vecdot takes each row by itself: its number is the same whatever rows stand beside it.
        found.append(np.vecdot(part, vector * scale))
    if at > rows.shape[1] or (at < rows.shape[1] and models in (None, len(query))):
        raise ValueError(f"the question has {at} numbers, the passages {rows.shape[1]}")
    return found
