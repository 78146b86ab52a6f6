"""From queries to excerpts: signals → hits → excerpts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from qandai.ensemble import Ensemble
from qandai.model import Excerpt, Filters, Hit, Query
from qandai.ports import Inside, Reading, Reranker, Shelf
from qandai.retrieval.copies import distinct
from qandai.retrieval.cut import cut
from qandai.retrieval.excerpts import excerpts
from qandai.retrieval.fuse import Signals, best
from qandai.retrieval.lexical import Scores
from qandai.retrieval.likeness import Likeness
from qandai.retrieval.ranking import Ranking, dealt
from qandai.retrieval.searcher import Searcher, Searchers, joined, window
from qandai.retrieval.wordwise import Wordwise
from qandai.text import tokens


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """`readings`: one for each model whose vectors the shelf holds, in their order; of a rewrite the first so many."""

    query: Query
    readings: tuple[Reading, ...]

    @property
    def vectors(self) -> tuple[NDArray[np.float32], ...]:
        return tuple(reading.vector for reading in self.readings)


class Retriever:
    """Threads share it."""

    def __init__(self, ranking: Ranking | None = None, reranker: Reranker | None = None) -> None:
        self._ranking = ranking or Ranking()
        self._reranker = reranker
        self._searchers = Searchers()

    @property
    def rewrite_models(self) -> int | None:
        """How many of an archive's models read rewrites; None: all."""
        return self._ranking.rewrite_models

    def warm(self, shelf: Shelf, query: EmbeddedQuery) -> None:
        """Works out beforehand what the first question to a shelf would wait for."""
        self.search(shelf, query).hits(count=1)

    def put_right(self, shelf: Shelf, query: Query, ensemble: Ensemble, *, names: Sequence[str] = ()) -> Query:
        """The query with slips of the fingers as the shelf spells the words. What a model reads in one piece is a
        word, and stays; so do the words of the names that an editor has listed."""
        if not self._ranking.slips:
            return query
        searcher = self._searchers.of(shelf, width=ensemble[0].dimension)
        listed = {word for name in names for word in tokens(name)}

        def is_word(word: str) -> bool:
            return not listed.isdisjoint(tokens(word)) or any(embedder.knows(word) for embedder in ensemble)

        return replace(query, text=searcher.put_right(query.text, is_word))

    def search(self, shelf: Shelf, query: EmbeddedQuery, filters: Filters | None = None) -> Search:
        """For the question itself."""
        searcher = self._searchers.of(shelf, width=len(query.readings[0].vector))
        allowed = np.flatnonzero(searcher.allowed(shelf.videos, filters or Filters()))
        return Search(self._ranking, self._reranker, searcher, shelf, allowed).also((query,))


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one query says of the passages that the filters let through."""

    query: Query
    likeness: Likeness
    wordwise: Wordwise | None
    signals: Signals
    scores: Scores


class Search:
    """One question to one shelf. Cosines and terms are those to the first query. Never changes."""

    def __init__(
        self,
        ranking: Ranking,
        reranker: Reranker | None,
        searcher: Searcher,
        shelf: Shelf,
        allowed: NDArray[np.intp],
        opinions: tuple[Opinion, ...] = (),
    ) -> None:
        self._ranking = ranking
        self._reranker = reranker
        self._searcher = searcher
        self._shelf = shelf
        self._allowed = allowed
        self._opinions = opinions

    def also(self, queries: Sequence[EmbeddedQuery]) -> Search:
        """The same with what further queries say, such as rewrites of the question."""
        further = self._reread([self._opinion(query) for query in queries], self._depth(queries))
        searched = (self._ranking, self._reranker, self._searcher, self._shelf, self._allowed)
        return Search(*searched, self._opinions + further)

    def hits(self, *, count: int) -> tuple[Hit, ...]:
        """The best passages of those the filters let through, best first; fewer where there are fewer."""
        if not len(self._allowed):
            return ()
        wanted = max(2 * count, self._ranking.rerank)  # some are copies
        opinions = self._opinions
        weights = [opinion.query.weight for opinion in opinions]
        signals, scored = [each.signals for each in opinions], [each.scores for each in opinions]
        ordered = self._ranking.order(signals, scored, weights, count=wanted)
        ranked = self._distinct(self._reranked(ordered))
        chance = self._searcher.chance(len(self._allowed))
        cosines = self._opinions[0].likeness.cosines
        nearest = [float(opinion.likeness.cosines[self._allowed].max()) for opinion in self._opinions[1:]]
        imagined = sum(nearest) / len(nearest) - chance if nearest else None
        return tuple(
            Hit(int(self._allowed[place]), rank, score, float(cosines[self._allowed[place]]), chance, imagined)
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
        asked = self._opinions[0]
        return excerpts(
            self._shelf,
            hits,
            [self._window(hit) for hit in hits],
            terms=self._searcher.terms(asked.query.text),
            likeness=asked.likeness,
            wordwise=asked.wordwise,
            chance=self._searcher.meant_by_chance(len(self._allowed)),
        )

    def _depth(self, queries: Sequence[EmbeddedQuery]) -> int:
        """How many of the best passages of each are read before they are ranked."""
        if self._opinions:
            return 2 * self._ranking.rewrite_depth
        spoken = any(self._searcher.terms(query.query.text) for query in queries)
        return self._ranking.reread if spoken else self._ranking.reread_across

    def _opinion(self, embedded: EmbeddedQuery) -> Opinion:
        models = self._opinions[0].likeness.models if self._opinions else None
        likeness = Likeness(self._shelf.vectors, embedded.vectors, models=models)
        weigh = self._searcher.evidence if self._ranking.fusion == "ranker" else self._searcher.signals
        found = weigh(embedded.query.text, likeness.passages)
        signals = {name: scores[self._allowed] for name, scores in found.items()}
        words = [reading.words for reading in embedded.readings]
        wordwise = self._searcher.wordwise(embedded.query.text, words)
        return Opinion(embedded.query, likeness, wordwise, signals, self._ranking.fuse(signals))

    def _reread(self, opinions: Sequence[Opinion], count: int) -> tuple[Opinion, ...]:
        """With what sentences and words say in place of what the whole passage does, for the `count` best of each."""
        weights = self._ranking.inside
        if not weights:
            return tuple(opinions)
        chosen = [best(opinion.scores, count) for opinion in opinions]
        indices = sorted({int(self._allowed[place]) for places in chosen for place in places})
        inside = dict(zip(indices, self._shelf.inside(indices), strict=True))
        read = []
        for opinion, places in zip(opinions, chosen, strict=True):
            said = inside_evidence(
                opinion.likeness, opinion.wordwise, [inside[int(self._allowed[place])] for place in places]
            )
            scores = opinion.scores.copy()
            for name, told in said.items():
                scores[places] += np.float32(weights.get(name, 0.0)) * (told - opinion.signals[name][places])
            read.append(replace(opinion, scores=scores))
        return tuple(read)

    def _reranked(self, ranked: list[tuple[int, float]]) -> list[tuple[int, float]]:
        """The best as the reranker orders them."""
        if self._reranker is None:
            return ranked
        best_ranked = ranked[: self._ranking.rerank]
        texts = [self._shelf.texts[int(self._allowed[place])] for place, _ in best_ranked]
        judged = self._reranker.scores(self._opinions[0].query.text, texts)
        order = np.argsort(-judged, kind="stable")  # of equals the better ranked
        scores = [score for _, score in best_ranked]
        return dealt([best_ranked[was][0] for was in order], scores) + ranked[self._ranking.rerank :]

    def _distinct(self, ranked: list[tuple[int, float]]) -> Iterable[tuple[int, float]]:
        """Without copies. A filter has gone before: what it hides never stands for what it lets through."""
        if self._ranking.copies is None:
            return ranked
        places, texts = self._shelf.places, self._shelf.texts

        def following(each: tuple[int, float]) -> str:
            index = int(self._allowed[each[0]])
            return texts[index + 1] if joined(places, index) else ""

        return distinct(ranked, lambda each: texts[int(self._allowed[each[0]])], following, alike=self._ranking.copies)

    def _window(self, hit: Hit) -> range:
        return window(self._shelf.places, self._shelf.texts, hit.index, chars=self._ranking.excerpt_chars)


def inside_evidence(likeness: Likeness, wordwise: Wordwise | None, passages: Sequence[Inside]) -> Mapping[str, Scores]:
    """(passages,) by name, what their parts say for them: the nearest sentence, all sentences on the whole, and the
    words, where words are told apart. All are compared with the question at once: 80 calls for a handful of rows each
    took three times as long."""
    if not passages:
        return {}
    first = np.cumsum([0, *(len(passage.sentences) for passage in passages[:-1])])
    near = likeness.of(np.concatenate([passage.sentences for passage in passages]))
    counts = np.array([len(passage.sentences) for passage in passages], np.float32)
    told = {"sentence": np.maximum.reduceat(near, first), "sentences": np.add.reduceat(near, first) / counts}
    words = [passage.signs for passage in passages]
    return told if wordwise is None or not all(map(len, words)) else told | {"words": wordwise.of(words)}
