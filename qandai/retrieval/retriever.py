"""From queries to excerpts: signals → hits → excerpts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from qandai.ensemble import Ensemble
from qandai.model import Excerpt, Filters, Hit, Query, Sentence
from qandai.passages import stitch
from qandai.ports import Leaf, Reranker, Shelf, Vectors
from qandai.retrieval.copies import distinct
from qandai.retrieval.cut import cut
from qandai.retrieval.fuse import Signals, best
from qandai.retrieval.lexical import Scores
from qandai.retrieval.likeness import Likeness, sentence_evidence
from qandai.retrieval.ranking import Ranking
from qandai.retrieval.searcher import Searcher, Searchers, joined, window
from qandai.text import tokens

HOLE = 20.0
"""Seconds without a word of the person between two passages, over which no excerpt reaches."""


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """`vectors`: one of length 1 for each model whose vectors the shelf holds, in their order."""

    query: Query
    vectors: tuple[NDArray[np.float32], ...]


class Retriever:
    """Threads share it."""

    def __init__(self, ranking: Ranking | None = None, reranker: Reranker | None = None) -> None:
        self._ranking = ranking or Ranking()
        self._reranker = reranker
        self._searchers = Searchers()

    def warm(self, shelf: Shelf, query: EmbeddedQuery) -> None:
        """Works out beforehand what the first question to a shelf would wait for."""
        self.search(shelf, (query,)).hits(count=1)

    def put_right(
        self, shelf: Shelf, queries: Sequence[Query], ensemble: Ensemble, *, names: Sequence[str] = ()
    ) -> tuple[Query, ...]:
        """The queries with slips of the fingers as the shelf spells the words. What a model reads in one piece is a
        word, and stays; so do the words of the names that an editor has listed."""
        if not self._ranking.slips:
            return tuple(queries)
        searcher = self._searchers.of(shelf, width=ensemble[0].dimension)
        listed = {word for name in names for word in tokens(name)}

        def is_word(word: str) -> bool:
            return not listed.isdisjoint(tokens(word)) or any(embedder.knows(word) for embedder in ensemble)

        return tuple(replace(query, text=searcher.put_right(query.text, is_word)) for query in queries)

    def search(self, shelf: Shelf, queries: Sequence[EmbeddedQuery], filters: Filters | None = None) -> Search:
        """The first query is the question itself."""
        searcher = self._searchers.of(shelf, width=len(queries[0].vectors[0]))
        return Search(self._ranking, self._reranker, searcher, shelf, queries, filters or Filters())


class Search:
    """One question to one shelf. Cosines and terms are those to the first query."""

    def __init__(
        self,
        ranking: Ranking,
        reranker: Reranker | None,
        searcher: Searcher,
        shelf: Shelf,
        queries: Sequence[EmbeddedQuery],
        filters: Filters,
    ) -> None:
        self._ranking = ranking
        self._reranker = reranker
        self._searcher = searcher
        self._shelf = shelf
        self._queries = queries
        self._allowed = np.flatnonzero(searcher.allowed(shelf.videos, filters))
        self._likeness = [Likeness(shelf.vectors, embedded.vectors) for embedded in queries]

    def hits(self, *, count: int) -> tuple[Hit, ...]:
        """The best passages of those the filters let through, best first; fewer where there are fewer."""
        if not len(self._allowed):
            return ()
        signals = [self._signals(each, near) for each, near in zip(self._queries, self._likeness, strict=True)]
        scored = self._reread(signals, [self._ranking.fuse(each) for each in signals])
        weights = [embedded.query.weight for embedded in self._queries]
        wanted = max(2 * count, self._ranking.rerank)  # some are copies
        ranked = self._distinct(self._reranked(self._ranking.order(signals, scored, weights, count=wanted)))
        chance = self._searcher.chance(len(self._allowed))
        cosines = self._likeness[0].cosines
        return tuple(
            Hit(int(self._allowed[place]), rank, score, float(cosines[self._allowed[place]]), chance)
            for rank, (place, score) in enumerate(islice(ranked, count), start=1)
        )

    def apart(self, hits: Sequence[Hit], *, count: int) -> tuple[Hit, ...]:
        """The best `count` hits of which none lies in the excerpt of a better one: that one shows it already."""
        kept: list[Hit] = []
        seen: set[int] = set()
        for hit in hits:
            if hit.index in seen:
                continue
            seen.update(self._window(hit))
            kept.append(hit)
            if len(kept) == count:
                break
        return tuple(kept)

    def telling(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Those worth showing where nothing is selected of them."""
        return cut(hits, floor=self._ranking.cut_floor, gap=self._ranking.cut_gap)

    def excerpts(self, hits: Sequence[Hit]) -> tuple[Excerpt, ...]:
        """Each hit within its neighbours, numbered from 1. Reads the words of these few passages only."""
        windows = [self._window(hit) for hit in hits]
        leaves = self._read(sorted({index for indices in windows for index in indices}))
        terms = self._searcher.terms(self._queries[0].query.text)
        excerpts = []
        for number, (hit, indices) in enumerate(zip(hits, windows, strict=True), start=1):
            row, spans, vectors = stitch(_unbroken([leaves[index] for index in indices], leaves[hit.index]))
            sentences = tuple(map(Sentence, spans, self._likeness[0].of(vectors).tolist()))
            passage = leaves[hit.index].passage
            excerpts.append(Excerpt(number, row, row.span(passage.first, passage.last), hit, sentences, terms))
        return tuple(excerpts)

    def _signals(self, embedded: EmbeddedQuery, likeness: Likeness) -> Signals:
        weigh = self._searcher.evidence if self._ranking.fusion == "ranker" else self._searcher.signals
        found = weigh(embedded.query.text, likeness.passages)
        return {name: scores[self._allowed] for name, scores in found.items()}

    def _reread(self, signals: Sequence[Signals], scored: Sequence[Scores]) -> Sequence[Scores]:
        """The scores with what sentences say in place of what the whole passage does, for the best of each query."""
        weights = self._ranking.of_sentences
        if not weights:
            return scored
        chosen = [best(scores, self._ranking.reread) for scores in scored]
        indices = sorted({int(self._allowed[place]) for places in chosen for place in places})
        sentences = dict(zip(indices, self._shelf.sentence_vectors(indices), strict=True))
        read = []
        for likeness, each, places, scores in zip(self._likeness, signals, chosen, scored, strict=True):
            read_out = _evidence(likeness, [sentences[int(self._allowed[place])] for place in places])
            scores = scores.copy()
            for name, weight in weights.items():
                said = np.array([evidence[name] for evidence in read_out], np.float32)
                scores[places] += np.float32(weight) * (said - each[name][places])
            read.append(scores)
        return read

    def _reranked(self, ranked: list[tuple[int, float]]) -> list[tuple[int, float]]:
        """The best as the reranker orders them. Their scores are dealt out anew, so that whoever weighs them against
        something else sees the scale that it knows."""
        if self._reranker is None:
            return ranked
        best_ranked = ranked[: self._ranking.rerank]
        texts = [self._shelf.texts[int(self._allowed[place])] for place, _ in best_ranked]
        judged = self._reranker.scores(self._queries[0].query.text, texts)
        order = np.argsort(-judged, kind="stable")  # of equals the better ranked
        dealt = [(best_ranked[was][0], score) for was, (_, score) in zip(order, best_ranked, strict=True)]
        return dealt + ranked[self._ranking.rerank :]

    def _distinct(self, ranked: list[tuple[int, float]]) -> Iterable[tuple[int, float]]:
        """Without copies. A filter has gone before: what it hides never stands for what it lets through."""
        if self._ranking.copies is None:
            return ranked
        places, texts = self._shelf.places, self._shelf.texts

        def following(each: tuple[int, float]) -> str:
            index = int(self._allowed[each[0]])
            return texts[index + 1] if joined(places, index) else ""

        return distinct(ranked, lambda each: texts[int(self._allowed[each[0]])], following, alike=self._ranking.copies)

    def _read(self, indices: Sequence[int]) -> dict[int, Leaf]:
        return dict(zip(indices, self._shelf.read(indices), strict=True))

    def _window(self, hit: Hit) -> range:
        return window(self._shelf.places, self._shelf.texts, hit.index, chars=self._ranking.excerpt_chars)


def _evidence(likeness: Likeness, passages: Sequence[Vectors]) -> Sequence[Mapping[str, float]]:
    """What the sentences of each passage say for it. All are compared with the question at once: 80 calls for a handful
    of rows each took three times as long."""
    if not passages:
        return []
    borders = np.cumsum([len(vectors) for vectors in passages])[:-1]
    return [sentence_evidence(each) for each in np.split(likeness.of(np.concatenate(passages)), borders)]


def _unbroken(leaves: Sequence[Leaf], ranked: Leaf) -> Sequence[Leaf]:
    """Those around the ranked one up to a hole in the recording: nobody should hear a minute of somebody else."""
    first = last = next(place for place, leaf in enumerate(leaves) if leaf is ranked)
    while first > 0 and leaves[first].passage.start - leaves[first - 1].passage.end < HOLE:
        first -= 1
    while last + 1 < len(leaves) and leaves[last + 1].passage.start - leaves[last].passage.end < HOLE:
        last += 1
    return leaves[first : last + 1]
