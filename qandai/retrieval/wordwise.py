"""How near the words of a question are to the words of passages: each finds its nearest (late interaction, Khattab and
Zaharia 2020), which one vector for a whole passage cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from qandai import signs
from qandai.ports import Signs, Vectors
from qandai.retrieval.lexical import Scores
from qandai.retrieval.likeness import SPREAD


class Wordwise:
    """Of one question. `words`: (words of the question, dimension) in each model; `weights`: what each word counts;
    `others`: words of passages from all over the archive, beside which the scale of `Likeness` is found."""

    def __init__(self, words: Sequence[Vectors], weights: NDArray[np.float32], others: Sequence[Signs]) -> None:
        self._words = [signs.turn(of_model) for of_model in words]
        self._weights = weights / max(float(weights.sum()), 1e-9)
        found = [nearest @ self._weights for nearest in self._nearest(others)]
        self._means = [np.float32(each.mean()) for each in found]
        spreads = [float(each.std()) for each in found]
        self._scales = [np.float32(SPREAD / spread if spread else 0.0) for spread in spreads]

    def of(self, passages: Sequence[Signs]) -> Scores:
        """(passages,), each by the signs of its words. At least one."""
        parts = zip(self._nearest(passages), self._means, self._scales, strict=True)
        told: Scores = np.stack([(each @ self._weights - mean) * scale for each, mean, scale in parts]).mean(axis=0)
        return told

    def meant(self, passages: Sequence[Signs]) -> Scores:
        """(passages,), at most 1, on the first model's own scale: how much of the question is said there in words of
        nearly its meaning. A word that is far counts more than two that are half as far: one thing that nobody speaks
        of is enough. At least one."""
        cosines = next(self._nearest(passages)) * signs.scale(self._words[0].shape[1])
        missing: Scores = np.square(np.clip(1 - cosines, 0, None)) @ self._weights
        return 1 - missing

    def _nearest(self, passages: Sequence[Signs]) -> Iterator[NDArray[np.float32]]:
        """(passages, words of the question) for each model: how near the nearest comes to each."""
        first = np.cumsum([0, *map(len, passages[:-1])])
        rows = np.concatenate(passages)
        at = 0
        for words in self._words:
            dimension = words.shape[1]
            part = signs.unpack(rows[:, at : at + signs.width(dimension)], dimension)
            at += signs.width(dimension)
            yield np.maximum.reduceat(part @ words.T, first)


def wordwise(words: Sequence[Vectors], weights: NDArray[np.float32], others: Sequence[Signs]) -> Wordwise | None:
    """None where a model does not tell words apart, of the question or of the archive, or where no word weighs
    anything. The question may have words by the first of the archive's models only."""
    width = sum(signs.width(of_model.shape[1]) for of_model in words)
    told = bool(words) and float(weights.sum()) > 0 and all(len(of_model) == len(weights) for of_model in words)
    if not told or not others or any(not len(each) or each.shape[1] < width for each in others):
        return None
    return Wordwise(words, weights, others)
