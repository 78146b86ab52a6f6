"""Keyword search: BM25 over folded words, for every passage of a shelf at once."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qandai.text import tokens

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
    def build(cls, texts: Iterable[str], *, k1: float = K1, b: float = B) -> Bm25:
        return cls.of_tokens((tokens(text) for text in texts), k1=k1, b=b)

    @classmethod
    def of_tokens(cls, documents: Iterable[Sequence[str]], *, k1: float = K1, b: float = B) -> Bm25:
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
        length = np.array(lengths, np.float64)
        mean = length.mean() if length.sum() else 1.0
        tf = np.array(counts, np.float64)[order]
        saturation = tf / (tf + k1 * (1 - b + b * length[places] / mean))
        idf = _idf(frequencies, len(lengths))
        return cls(
            size=len(lengths),
            words=words,
            borders=np.concatenate([[0], np.cumsum(frequencies)]).astype(np.int64),
            places=places,
            weights=(saturation * np.repeat(idf, frequencies)).astype(np.float32),
        )

    def scores(self, text: str) -> Scores:
        """BM25 of every passage; 0 where no word is shared. A word said twice in the question counts twice."""
        found = np.zeros(self.size, np.float32)
        for word, count in Counter(tokens(text)).items():
            column = self.words.get(word)
            if column is not None:
                span = slice(self.borders[column], self.borders[column + 1])
                found[self.places[span]] += count * self.weights[span]  # a passage stands once in a word's postings
        return found

    def idf(self, word: str) -> float:
        """How much a folded word tells passages apart; a word that nobody said counts as if said once."""
        column = self.words.get(word)
        frequency = 1 if column is None else int(self.borders[column + 1] - self.borders[column])
        return math.log1p((self.size - frequency + 0.5) / (frequency + 0.5)) if self.size else 0.0

    def ceiling(self, text: str) -> float:
        """What no passage can reach: the score of one that held every word of the question without end."""
        return sum(self.idf(word) for word in tokens(text))

    def terms(self, text: str) -> dict[str, float]:
        """The distinct folded words of a question with their IDF, in order."""
        return {word: self.idf(word) for word in tokens(text)}


def _idf(frequencies: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    return np.log1p((size - frequencies + 0.5) / (frequencies + 0.5))
