"""From a question to what the recordings say: search, excerpts, and the words that answer by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from qandai.answering.moments import moments
from qandai.answering.turns import Speech
from qandai.asking.models import Models
from qandai.asking.notes import Notes, Scene
from qandai.asking.stopwatch import Stopwatch
from qandai.chain import Outcome
from qandai.ensemble import Ensemble, read_queries
from qandai.errors import ProviderError
from qandai.model import Excerpt, Person, Query, Question
from qandai.ports import Embedder, Selector, Shelf
from qandai.retrieval.expand import expand
from qandai.retrieval.retriever import EmbeddedQuery, Retriever, Search

OVERFETCH = 6
"""So many times the wanted excerpts are ranked, because neighbours of one moment often rank side by side."""


class Finder:
    """Never changes; threads share it. `threads` wait for models while it searches."""

    def __init__(
        self,
        retriever: Retriever,
        models: Models,
        threads: ThreadPoolExecutor,
        *,
        embedders_for: Callable[[Person], Ensemble],
        selector_for: Callable[[Embedder], Selector],
    ) -> None:
        self._retriever = retriever
        self._models = models
        self._threads = threads
        self._embedders_for = embedders_for
        self._selector_for = selector_for

    def scene(self, question: Question, asked: Question, person: Person, shelf: Shelf, notes: Notes) -> Scene:
        search = self._searched(asked, person, shelf, notes)
        with notes.watch.step("retrieve"):
            hits = search.apart(search.hits(count=asked.top_k * OVERFETCH), count=asked.top_k)
            excerpts = search.excerpts(hits)
        with notes.watch.step("select"):
            others = moments(excerpts, Speech.of(person))
            claims = self._selector_for(self._embedders_for(person)[0]).select(asked, excerpts, others)
        return Scene(question, asked, person, shelf, search, excerpts, claims, others)

    def sources(self, question: Question, person: Person, shelf: Shelf, watch: Stopwatch) -> tuple[Excerpt, ...]:
        """`top_k` of them, or fewer where the others stand far behind. Never asks a model."""
        own = self._own(question, person, shelf, watch)
        search = self._retriever.search(shelf, own, question.filters)
        return search.excerpts(search.telling(search.hits(count=question.top_k)))

    def warm(self, person: Person, shelf: Shelf) -> None:
        """Prepares shelf and embedders, so that the first visitor does not wait."""
        (query,) = _embedded([Query(person.name)], self._embedders_for(person))
        self._retriever.warm(shelf, query)

    def _searched(self, asked: Question, person: Person, shelf: Shelf, notes: Notes) -> Search:
        """While the question itself is searched for, a model imagines answers; late, it goes without them."""
        rewriting = self._rewriting(asked, person, notes)
        own = self._own(asked, person, shelf, notes.watch)
        with notes.watch.step("retrieve"):
            search = self._retriever.search(shelf, own, asked.filters)
        if rewriting is None:
            return search
        with notes.watch.step("expand"):
            notes.rewrites = notes.in_time(rewriting) or ()
        if not notes.rewrites:
            return search
        try:
            with notes.watch.step("embed"):
                embedders = self._embedders_for(person)[: self._retriever.rewrite_models]
                further = _embedded([Query(text) for text in notes.rewrites], embedders)
        except ProviderError:  # a service embeds, and had enough of us: the question itself is searched for already
            notes.rewrites = ()
            return search
        with notes.watch.step("retrieve"):
            return search.also(further)

    def _rewriting(self, asked: Question, person: Person, notes: Notes) -> Future[Outcome[tuple[str, ...]]] | None:
        if not self._models.do("expand"):
            return None
        return self._threads.submit(self._models.rewrites, asked, person, notes.hurry)

    def _own(self, question: Question, person: Person, shelf: Shelf, watch: Stopwatch) -> EmbeddedQuery:
        """The question itself, as it is searched for."""
        embedders = self._embedders_for(person)
        with watch.step("expand"):
            query = self._retriever.put_right(shelf, expand(question, person), embedders, names=person.vocabulary)
        with watch.step("embed"):
            return _embedded([query], embedders)[0]


def _embedded(queries: Sequence[Query], embedders: Ensemble) -> list[EmbeddedQuery]:
    readings = read_queries(embedders, [query.text for query in queries])
    return [EmbeddedQuery(query, of_query) for query, of_query in zip(queries, readings, strict=True)]
