"""Keyword search: BM25 over folded words, for every passage of a shelf at once."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
"""(n,), one for each passage of a shelf, in shelf order."""

K1 = 1.5
B = 0.75


@dataclass(frozen=True, slots=True)
class Bm25:
    """Postings with their weights worked out beforehand, so that a question costs one addition a posting.

    Robertson & Zaragoza 2009, with the inverse document frequency of Lucene, which is never negative. Word `i` of
    `words` has its passages and weights at `borders[i]` to `borders[i + 1]`. Immutable; threads share it.
    """

    size: int
    words: Mapping[str, int]
    borders: NDArray[np.int64]
    places: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def build(cls, documents: Iterable[Sequence[str]], *, k1: float = K1, b: float = B) -> Bm25:
        """One sequence of folded words a passage."""
        words: dict[str, int] = {}
        columns, rows, counts, lengths = array("i"), array("i"), array("i"), array("i")
        for row, document in enumerate(documents):
            lengths.append(len(document))
            for word, count in Counter(document).items():
                columns.append(words.setdefault(word, len(words)))
                rows.append(row)
                counts.append(count)
        column = np.frombuffer(columns, np.int32) if columns else np.zeros(0, np.int32)
        order = np.argsort(column, kind="stable")
        places = np.array(rows, np.int32)[order]
        frequencies = np.bincount(column, minlength=len(words))
        return cls(
            size=len(lengths),
            words=words,
            borders=np.concatenate([[0], np.cumsum(frequencies)]).astype(np.int64),
            places=places,
            weights=weigh(
                np.array(counts, np.float64)[order], places, frequencies, np.array(lengths, np.float64), k1=k1, b=b
            ),
        )

    def scores(self, words: Sequence[str]) -> Scores:
        """BM25 of every passage; 0 where no word is shared. A word said twice in the question counts twice."""
        found = np.zeros(self.size, np.float32)
        for word, count in Counter(words).items():
            span = self._postings(word)
            found[self.places[span]] += count * self.weights[span]  # a passage stands once in a word's postings
        return found

    def shares(self, words: Sequence[str]) -> Scores:
        """The scores as shares of what no passage can reach: one that held every word of the question without end."""
        ceiling = sum(self.idf(word) for word in words)
        found = self.scores(words)
        return found / np.float32(ceiling) if ceiling else found

    def holding(self, word: str) -> NDArray[np.int32]:
        """The passages that hold a folded word."""
        return self.places[self._postings(word)]

    def idf(self, word: str) -> float:
        """How much a folded word tells passages apart; a word that nobody said counts as if said once."""
        span = self._postings(word)
        frequency = max(1, span.stop - span.start)
        return math.log1p((self.size - frequency + 0.5) / (frequency + 0.5)) if self.size else 0.0

    def _postings(self, word: str) -> slice:
        column = self.words.get(word)
        if column is None:
            return slice(0, 0)
        return slice(int(self.borders[column]), int(self.borders[column + 1]))


def weigh(
    tf: NDArray[np.float64],
    places: NDArray[np.int32],
    frequencies: NDArray[np.int64],
    lengths: NDArray[np.float64],
    *,
    k1: float = K1,
    b: float = B,
) -> Scores:
    """Of each posting: `tf` is how often its passage, at `places`, holds its term. Postings of one term stand together,
    in the order of `frequencies`; `lengths` of all passages in words."""
    mean = lengths.mean() if lengths.sum() else 1.0
    saturation = tf / (tf + k1 * (1 - b + b * lengths[places] / mean))
    return (saturation * np.repeat(idf(frequencies, len(lengths)), frequencies)).astype(np.float32)


def idf(frequencies: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Of terms that so many of `size` passages hold."""
    return np.log1p((size - frequencies + 0.5) / (frequencies + 0.5))
