"""From queries to excerpts: candidates → hits → excerpts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qandai.model import Excerpt, Filters, Hit, Query, Sentence
from qandai.passages import stitch
from qandai.ports import Leaf, Shelf
from qandai.retrieval.fuse import Signals, best, count_votes, fuse_runs, linear, rrf
from qandai.retrieval.lexical import Scores
from qandai.retrieval.searcher import Searchers, window

HOLE = 20.0
"""Seconds without a word of the person between two passages, over which no excerpt reaches."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How passages are ranked. `w_bm25` is the share of the keyword score in linear fusion and RRF, 0 to 1.

    `votes` counts in how many lists, one a signal and query, a passage stands: what weighted RRF replaced, kept to be
    compared with.
    """

    fusion: Literal["linear", "rrf", "votes", "vectors", "bm25"] = "linear"
    w_bm25: float = 0.5
    w_original: float = 1.0  # what the question itself counts beside its rewrites
    excerpt_chars: int = 1000
    depth: int = 100  # how far down the runs of several queries are read before they are fused
    keep: int | None = None  # passages of each query that take part; None: as many as are wanted

    def fuse(self, signals: Signals) -> Scores:
        if self.fusion in ("vectors", "bm25"):
            return linear(signals, {self.fusion: 1.0})
        weights = {"vectors": 1 - self.w_bm25, "bm25": self.w_bm25}
        return rrf(signals, weights) if self.fusion == "rrf" else linear(signals, weights)

    def rank(self, signals: Sequence[Signals], weights: Sequence[float], *, count: int) -> list[tuple[int, float]]:
        """Places with their scores, best first. One entry of `signals` and `weights` a query, the question first."""
        depth = max(count, self.depth) if self.keep is None else self.keep
        if self.fusion == "votes":
            return count_votes([best(scores, depth).tolist() for each in signals for scores in each.values()])[:count]
        scored = [self.fuse(each) for each in signals]
        if len(scored) == 1:
            return [(int(place), float(scored[0][place])) for place in best(scored[0], min(count, depth))]
        runs = [best(scores, depth).tolist() for scores in scored]
        return fuse_runs(runs, [weights[0] * self.w_original, *weights[1:]])[:count]


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    query: Query
    vector: NDArray[np.float32]


class Retriever:
    """Threads share it. The first query is the question itself: cosines and terms are those to it."""

    def __init__(self, ranking: Ranking | None = None) -> None:
        self._ranking = ranking or Ranking()
        self._searchers = Searchers()

    def warm(self, slug: str, shelf: Shelf) -> None:
        """Works out beforehand what the first question to a shelf would wait for."""
        self._searchers.of(shelf)

    def hits(
        self, slug: str, shelf: Shelf, queries: Sequence[EmbeddedQuery], *, count: int, filters: Filters | None = None
    ) -> tuple[Hit, ...]:
        """The best passages of those the filters let through, best first; fewer where there are fewer."""
        if not len(shelf.places):
            return ()
        searcher = self._searchers.of(shelf)
        allowed = np.flatnonzero(searcher.allowed(shelf.videos, filters or Filters()))
        # einsum stays on this thread: BLAS would wake one for every core, for three milliseconds of work.
        cosines = [np.einsum("ij,j->i", shelf.vectors, embedded.vector) for embedded in queries]
        signals = [
            {name: scores[allowed] for name, scores in searcher.signals(embedded.query.text, cosine).items()}
            for embedded, cosine in zip(queries, cosines, strict=True)
        ]
        ranked = self._ranking.rank(signals, [embedded.query.weight for embedded in queries], count=count)
        chance = searcher.chance(len(allowed))
        return tuple(
            Hit(int(allowed[place]), rank, score, cosine=float(cosines[0][allowed[place]]), chance=chance)
            for rank, (place, score) in enumerate(ranked, start=1)
        )

    def excerpts(
        self, slug: str, shelf: Shelf, queries: Sequence[EmbeddedQuery], hits: Sequence[Hit]
    ) -> tuple[Excerpt, ...]:
        """Each hit within its neighbours, numbered from 1. Reads the words of these few passages only."""
        windows = [window(shelf.places, shelf.texts, hit.index, chars=self._ranking.excerpt_chars) for hit in hits]
        wanted = sorted({index for indices in windows for index in indices})
        leaves = dict(zip(wanted, shelf.read(wanted), strict=True))
        terms = self._searchers.of(shelf).bm25.terms(queries[0].query.text) if hits else {}
        excerpts = []
        for number, (hit, indices) in enumerate(zip(hits, windows, strict=True), start=1):
            row, spans, vectors = stitch(_unbroken([leaves[index] for index in indices], leaves[hit.index]))
            sentences = tuple(
                Sentence(span, float(cosine)) for span, cosine in zip(spans, vectors @ queries[0].vector, strict=True)
            )
            passage = leaves[hit.index].passage
            excerpts.append(Excerpt(number, row, row.span(passage.first, passage.last), hit, sentences, terms))
        return tuple(excerpts)

    def apart(self, shelf: Shelf, hits: Sequence[Hit], *, count: int) -> tuple[Hit, ...]:
        """The best `count` hits of which none lies in the excerpt of a better one: that one shows it already."""
        kept: list[Hit] = []
        seen: set[int] = set()
        for hit in hits:
            if hit.index in seen:
                continue
            seen.update(window(shelf.places, shelf.texts, hit.index, chars=self._ranking.excerpt_chars))
            kept.append(hit)
            if len(kept) == count:
                break
        return tuple(kept)


def _unbroken(leaves: Sequence[Leaf], ranked: Leaf) -> Sequence[Leaf]:
    """Those around the ranked one up to a hole in the recording: nobody should hear a minute of somebody else."""
    first = last = next(place for place, leaf in enumerate(leaves) if leaf is ranked)
    while first > 0 and leaves[first].passage.start - leaves[first - 1].passage.end < HOLE:
        first -= 1
    while last + 1 < len(leaves) and leaves[last + 1].passage.start - leaves[last].passage.end < HOLE:
        last += 1
    return leaves[first : last + 1]
