"""Several models over one archive: their vectors stand side by side in a row of the shelf.

One model misses what another finds: a question and its answer are near in one space or in the other. Each part of a
row is as long as the others and the row has length 1, so the cosine of whole rows is the mean of the models' cosines.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from qandai.ports import Embedder, Vectors

Ensemble = tuple[Embedder, ...]
"""At least one. The floor of the first decides what counts as never answered."""


def model_of(ensemble: Ensemble) -> str:
    """As a collection's recipe names it."""
    return "+".join(embedder.model for embedder in ensemble)


def query_vectors(ensemble: Ensemble, text: str) -> tuple[NDArray[np.float32], ...]:
    """A question's vector in each model, in their order, worked out side by side. Raises ProviderError."""
    first, *others = ensemble
    if not others:
        return (first.query(text),)
    with ThreadPoolExecutor(len(others)) as threads:  # models run without Python's lock
        found = [threads.submit(embedder.query, text) for embedder in others]
        return (first.query(text), *(each.result() for each in found))


def join(parts: Sequence[Vectors]) -> Vectors:
    """(n, sum of the dimensions), rows of length 1. All parts have n rows of length 1."""
    joined = np.concatenate(parts, axis=1)
    return joined if len(parts) == 1 else (joined / np.sqrt(np.float32(len(parts)))).astype(np.float32)


def cosines(rows: Vectors, query: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
    """(n,) for each model: the similarity of every row to the question's vector of that model."""
    found = []
    at = 0
    for vector in query:
        part = rows[:, at : at + len(vector)]
        at += len(vector)
        # einsum stays on this thread: BLAS would wake one for every core, for three milliseconds of work.
        found.append(np.einsum("ij,j->i", part, vector * np.sqrt(np.float32(len(query)))))
    if at != rows.shape[1]:
        raise ValueError(f"the question has {at} numbers, the passages {rows.shape[1]}")
    return found
