"""Passages that end where the talk turns. Of all ways to part a recording between its sentences, the one is taken whose
passages are nearest to the wanted length and whose borders part what is least alike.

The likeness of what stands on both sides of a border is TextTiling's (Hearst 1997), over vectors instead of words; the
best borders are found together, by dynamic programming (Fragkou, Petridis and Kehagias 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qandai.model import Span
from qandai.passages import MAX_CHARS, Passage, starts_anew, step_back
from qandai.ports import Vectors

_EVENNESS = 2.0
"""What a passage costs that is longer or shorter by the factor e, in standard deviations of likeness."""
_NEW = 1.0
"""The same scale: how gladly a passage ends before another speaker, or a long pause."""
_ASIDE = 2 / 3
"""Of a passage's length: how much on each side of a border is compared, in whole sentences."""

Figures = NDArray[np.float64]


def by_topic(rows: Sequence[Sequence[Span]], vectors: Vectors, *, chars: int, overlap: int = 0) -> tuple[Passage, ...]:
    """The sentences of each row of a recording in order, with a vector for each of them all (sentences, dimensions), as
    passages of about `chars` characters, at most 1000. With `overlap`, each begins with the last sentences of the one
    before, up to so many characters. Nothing bridges two rows."""
    if not len(vectors):
        return ()
    lengths = [[len(sentence.text) + 1 for sentence in row] for row in rows]
    ends = np.cumsum([len(row) for row in rows])
    parts = np.split(vectors - vectors.mean(axis=0), ends[:-1])
    likeness = [_likeness(part, sizes, round(chars * _ASIDE)) for part, sizes in zip(parts, lengths, strict=True)]
    known = np.concatenate(likeness)
    mean, spread = (float(known.mean()), float(known.std())) if len(known) else (0.0, 0.0)
    passages: list[Passage] = []
    for row, sizes, near in zip(rows, lengths, likeness, strict=True):
        new = np.array([starts_anew(before.words[-1], after.words[0]) for before, after in pairwise(row)], bool)
        prices = (near - mean) / (spread or 1.0) - _NEW * new
        passages += _passages(row, sizes, _best_ends(sizes, prices, chars, MAX_CHARS - overlap), overlap)
    return tuple(passages)


def _likeness(vectors: Vectors, lengths: Sequence[int], aside: int) -> Figures:
    """(sentences - 1,), the cosine of the `aside` characters before and behind each border. `vectors` (sentences,
    dimensions) are relative to the recording, all of which is about the same from afar."""
    upto = np.concatenate([[0], np.cumsum(lengths)])
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)])
    borders = np.arange(1, len(lengths))
    first = np.minimum(np.searchsorted(upto, upto[borders] - aside, side="right") - 1, borders - 1).clip(0)
    last = np.maximum(np.searchsorted(upto, upto[borders] + aside), borders + 1).clip(max=len(lengths))
    before, behind = sums[borders] - sums[first], sums[last] - sums[borders]
    scale = np.linalg.norm(before, axis=1) * np.linalg.norm(behind, axis=1)
    return np.asarray((before * behind).sum(axis=1) / np.maximum(scale, 1e-9), np.float64)


def _best_ends(lengths: Sequence[int], prices: Figures, chars: int, most: int) -> list[int]:
    """The ends (exclusive) of the passages that cost the least, of at most `most` characters unless one sentence has
    more. `prices` are those of the borders between sentences."""
    upto = np.concatenate([[0], np.cumsum(lengths)])
    least = np.zeros(len(lengths) + 1)
    begins = np.zeros(len(lengths) + 1, int)
    for end in range(1, len(lengths) + 1):
        begin = min(int(np.searchsorted(upto, upto[end] - most - 1)), end - 1)
        costs = least[begin:end] + _EVENNESS * np.log((upto[end] - upto[begin:end]) / chars) ** 2
        cheapest = int(np.argmin(costs))
        begins[end] = begin + cheapest
        least[end] = costs[cheapest] + (prices[end - 1] if end < len(lengths) else 0.0)
    ends = [len(lengths)]
    while begins[ends[-1]]:
        ends.append(int(begins[ends[-1]]))
    return ends[::-1]


def _passages(row: Sequence[Span], lengths: Sequence[int], ends: Sequence[int], overlap: int) -> Sequence[Passage]:
    passages: list[Passage] = []
    begin = 0
    for at, end in enumerate(ends):
        sentences = tuple(row[begin:end])
        passages.append(Passage(sentences[0].row.span(sentences[0].first, sentences[-1].last), sentences))
        if at + 1 < len(ends):
            begin = step_back(lengths, begin, end, overlap)
    return passages
