"""From hits to what a selector reads: each passage within its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from qandai.model import Excerpt, Hit, Sentence
from qandai.passages import stitch
from qandai.ports import Leaf, Shelf
from qandai.retrieval.likeness import Likeness
from qandai.retrieval.wordwise import Wordwise

HOLE = 20.0
"""Seconds without a word of the person between two passages, over which no excerpt reaches."""


def excerpts(
    shelf: Shelf,
    hits: Sequence[Hit],
    windows: Sequence[Sequence[int]],
    *,
    terms: Mapping[str, float],
    likeness: Likeness,
    wordwise: Wordwise | None,
    chance: float,
) -> tuple[Excerpt, ...]:
    """Each hit within the passages of its window, numbered from 1. Reads the words of these few passages only. `terms`,
    `likeness` and `wordwise` are the question's; `chance` is taken off `Excerpt.meant`."""
    wanted = sorted({index for window in windows for index in window})
    leaves = dict(zip(wanted, shelf.read(wanted), strict=True))
    shown = [
        _unbroken([leaves[index] for index in window], leaves[hit.index])
        for hit, window in zip(hits, windows, strict=True)
    ]
    found = []
    for number, (hit, parts, meant) in enumerate(zip(hits, shown, _meant(wordwise, shown), strict=True), start=1):
        row, spans, vectors = stitch(parts)
        sentences = tuple(map(Sentence, spans, likeness.of(vectors).tolist()))
        passage = leaves[hit.index].passage
        told = None if meant is None else meant - chance
        found.append(Excerpt(number, row, row.span(passage.first, passage.last), hit, sentences, terms, told))
    return tuple(found)


def _meant(wordwise: Wordwise | None, shown: Sequence[Sequence[Leaf]]) -> Sequence[float | None]:
    words = [[leaf.signs for leaf in leaves] for leaves in shown]
    if wordwise is None or not words or not all(len(signs) for each in words for signs in each):
        return [None] * len(shown)
    told: list[float | None] = wordwise.meant([np.concatenate(each) for each in words]).tolist()
    return told


def _unbroken(leaves: Sequence[Leaf], ranked: Leaf) -> Sequence[Leaf]:
    """Those around the ranked one up to a hole in the recording: nobody should hear a minute of somebody else."""
    first = last = next(place for place, leaf in enumerate(leaves) if leaf is ranked)
    while first > 0 and leaves[first].passage.start - leaves[first - 1].passage.end < HOLE:
        first -= 1
    while last + 1 < len(leaves) and leaves[last + 1].passage.start - leaves[last].passage.end < HOLE:
        last += 1
    return leaves[first : last + 1]
