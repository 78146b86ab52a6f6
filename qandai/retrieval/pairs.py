"""Keyword search over pairs of neighbouring words: what is quoted has them in common with what was said."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qandai.retrieval.lexical import Scores, idf, weigh


@dataclass(frozen=True, slots=True)
class PairBm25:
    """BM25 whose terms are pairs. There are ten times as many as words, so they are numbers in one sorted array instead
    of keys of a dictionary: 25 MB for an archive of 29,000 passages. Immutable; threads share it."""

    size: int
    words: Mapping[str, int]
    pairs: NDArray[np.int64]
    borders: NDArray[np.int64]
    places: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def build(cls, documents: Iterable[Sequence[str]]) -> PairBm25:
        """One sequence of folded words a passage."""
        words: dict[str, int] = {}
        said, lengths = array("q"), array("q")
        for document in documents:
            lengths.append(len(document))
            said.extend(words.setdefault(word, len(words)) for word in document)
        ids, length = np.array(said, np.int64), np.array(lengths, np.int64)
        row = np.repeat(np.arange(len(length)), length)
        within = row[1:] == row[:-1]
        # One number for a pair in a passage, so that sorting numbers counts them.
        keys = ids[:-1][within] * len(words) + ids[1:][within]
        pairs, column = np.unique(keys, return_inverse=True)
        occurrences, tf = np.unique(column.astype(np.int64) * len(length) + row[:-1][within], return_counts=True)
        places = (occurrences % max(1, len(length))).astype(np.int32)
        frequencies = np.bincount(occurrences // max(1, len(length)), minlength=len(pairs))
        return cls(
            size=len(length),
            words=words,
            pairs=pairs,
            borders=np.concatenate([[0], np.cumsum(frequencies)]).astype(np.int64),
            places=places,
            weights=weigh(tf.astype(np.float64), places, frequencies, length.astype(np.float64)),
        )

    def shares(self, words: Sequence[str]) -> Scores:
        """(size,): BM25 of every passage as a share of what one could reach that held every pair of the question."""
        found = np.zeros(self.size, np.float32)
        ceiling = 0.0
        for before, after in set(pairwise(words)):
            span = self._postings(before, after)
            ceiling += float(idf(np.array([max(1, span.stop - span.start)]), self.size)[0])
            found[self.places[span]] += self.weights[span]
        return found / np.float32(ceiling) if ceiling else found

    def _postings(self, before: str, after: str) -> slice:
        first, second = self.words.get(before), self.words.get(after)
        if first is None or second is None:
            return slice(0, 0)
        key = first * len(self.words) + second
        column = int(np.searchsorted(self.pairs, key))
        if column == len(self.pairs) or self.pairs[column] != key:
            return slice(0, 0)
        return slice(int(self.borders[column]), int(self.borders[column + 1]))
