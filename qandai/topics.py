"""Passages joined as long as the talk goes on about the same: another way of cutting, by what is said.

Like TextTiling (Hearst 1997), over vectors instead of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, pstdev

from qandai.passages import MAX_CHARS, Passage
from qandai.ports import Vectors

HOLDING = 0.5
"""Standard deviations above the mean of a recording's neighbours, from which two of them are about the same. Measured
against the recording itself, because models differ in how alike they find any two passages."""


def by_topic(passages: Sequence[Passage], vectors: Vectors, *, holding: float = HOLDING) -> tuple[Passage, ...]:
    """The passages of one recording in order, a row of vectors each: neighbours that are about the same become one, of
    at most 1000 characters. No border is moved, so none falls inside a word, and nothing bridges a hole."""
    likeness = [float(before @ after) for before, after in pairwise(vectors)]
    if not likeness:
        return tuple(passages)
    enough = fmean(likeness) + holding * pstdev(likeness)
    joined = [passages[0]]
    for passage, near in zip(passages[1:], likeness, strict=True):
        both = _join(joined[-1], passage) if near >= enough and passage.span.row is joined[-1].span.row else None
        if both is not None and len(both.text) <= MAX_CHARS:
            joined[-1] = both
        else:
            joined.append(passage)
    return tuple(joined)


def _join(before: Passage, after: Passage) -> Passage:
    """Passages that overlap share sentences."""
    sentences = {sentence.first: sentence for sentence in (*before.sentences, *after.sentences)}
    return Passage(before.span.row.span(before.span.first, after.span.last), tuple(sentences.values()))
