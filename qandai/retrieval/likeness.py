"""How near a question is to passages and sentences, on one scale whatever the models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qandai.ensemble import cosines
from qandai.ports import Vectors
from qandai.retrieval.lexical import Scores

SPREAD = 0.09
"""The standard deviation of all-MiniLM's cosines over an archive (0.087 and 0.089 on two), which gives the scale."""


class Likeness:
    """Of one question to the rows of a shelf. `query`: its vector in each model, or in the first of `models`.

    Models differ in where their cosines lie and in how widely they spread. So each counts as far as it stands out of
    the archive, and the likeness is the mean over the models: 0 for what is as near as passages are on the whole. It
    does not depend on what else was found, so that a filter never reorders.
    """

    def __init__(self, rows: Vectors, query: Sequence[NDArray[np.float32]], *, models: int | None = None) -> None:
        self.models = len(query) if models is None else models
        self._query = query
        found = cosines(rows, query, models=self.models)
        self._means = [np.float32(each.mean()) if each.size else np.float32(0) for each in found]
        spreads = [float(each.std()) if each.size else 0.0 for each in found]
        self._scales = [np.float32(SPREAD / spread if spread else 0.0) for spread in spreads]
        self.cosines: Scores = found[0]  # of the first model, whose floor decides
        self.passages: Scores = self._mean(found)

    def of(self, rows: Vectors) -> Scores:
        """(n,), of other rows: those of sentences."""
        return self._mean(cosines(rows, self._query, models=self.models))

    def _mean(self, found: Sequence[Scores]) -> Scores:
        parts = [(each - mean) * scale for each, mean, scale in zip(found, self._means, self._scales, strict=True)]
        return (sum(parts[1:], parts[0]) / np.float32(len(parts))).astype(np.float32)


INSIDE = ("sentence", "sentences", "words")
"""What has to be read of a passage beside its own vector."""
