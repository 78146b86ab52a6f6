"""The story of one question, from its words to the second where the answer begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from qandai.align import align
from qandai.answer import Answer, NoAnswer
from qandai.answering.moments import Moment, moments
from qandai.answering.turns import Speech
from qandai.clips import clip, overlap
from qandai.ensemble import Ensemble, query_vectors
from qandai.memory import give_back
from qandai.model import Clip, Excerpt, Person, Pick, Query, Question, Quote, Row, Span
from qandai.passages import stitch
from qandai.ports import Embedder, People, Selector, Shelf, Shelves
from qandai.retrieval.expand import expand
from qandai.retrieval.retriever import EmbeddedQuery, Retriever

OVERFETCH = 6
"""So many times the wanted excerpts are ranked, because neighbours of one moment often rank side by side."""


class Stopwatch:
    """Milliseconds per step, under the names of the API's `timings_ms`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._steps = dict.fromkeys(("expand", "embed", "retrieve", "select", "generate", "align"), 0.0)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        began = self._clock()
        try:
            yield
        finally:
            self._steps[name] += (self._clock() - began) * 1000

    def read(self) -> dict[str, float]:
        return {**self._steps, "total": (self._clock() - self._began) * 1000}


class Asker:
    """Answers questions from each person's newest shelf. Never changes; threads share it."""

    def __init__(
        self,
        people: People,
        shelves: Shelves,
        *,
        embedders_for: Callable[[Person], Ensemble],
        selector_for: Callable[[Person, Embedder], Selector],
        retriever: Retriever | None = None,
        lead: float = 0.3,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._people = people
        self._shelves = shelves
        self._embedders_for = embedders_for
        self._selector_for = selector_for
        self._retriever = retriever or Retriever()
        self._lead = lead
        self._clock = clock

    def ask(self, question: Question) -> Answer | NoAnswer:
        """Raises UnknownPerson, NotReady, StoreError, ProviderError."""
        watch = Stopwatch(self._clock)
        person = self._people.get(question.person)
        embedders = self._embedders_for(person)
        with self._shelves.borrow(person.slug) as shelf:
            queries = self._queries(question, person, shelf, embedders, watch)
            with watch.step("retrieve"):
                search = self._retriever.search(shelf, queries, question.filters)
                hits = search.apart(search.hits(count=question.top_k * OVERFETCH), count=question.top_k)
                excerpts = search.excerpts(hits)
            with watch.step("select"):
                claims = self._selector_for(person, embedders[0]).select(question, excerpts)
                others = moments(excerpts, Speech.of(person))
            with watch.step("align"):
                quotes = [quote for claim in claims if (quote := _confirmed(claim, excerpts, others, shelf))]
        near = [clip(Quote(moment.span), lead=self._lead) for moment in others]
        if not quotes:
            return NoAnswer(question, _spread(near), watch.read())
        first, *rest = (clip(quote, lead=self._lead) for quote in quotes)
        return Answer(question, first, _spread([*rest, *near], beside=first), excerpts, watch.read())

    def search(self, question: Question) -> tuple[Excerpt, ...]:
        """The ranked passages within their neighbours, best first: `top_k` of them, or fewer where the others stand far
        behind. Raises as `ask` does."""
        person = self._people.get(question.person)
        watch = Stopwatch(self._clock)
        with self._shelves.borrow(person.slug) as shelf:
            queries = self._queries(question, person, shelf, self._embedders_for(person), watch)
            search = self._retriever.search(shelf, queries, question.filters)
            return search.excerpts(search.telling(search.hits(count=question.top_k)))

    def warm(self, slug: str) -> None:
        """Prepares a person's shelf and model, so that the first visitor does not wait. Raises as `ask` does."""
        embedded = _embed(Query(slug), self._embedders_for(self._people.get(slug)))
        with self._shelves.borrow(slug) as shelf:
            self._retriever.warm(shelf, embedded)
        give_back()

    def _queries(
        self, question: Question, person: Person, shelf: Shelf, embedders: Ensemble, watch: Stopwatch
    ) -> tuple[EmbeddedQuery, ...]:
        with watch.step("expand"):
            asked = expand(question, person)
            queries = self._retriever.put_right(shelf, asked, embedders, names=person.vocabulary)
        with watch.step("embed"):
            return tuple(_embed(query, embedders) for query in queries)


def _embed(query: Query, embedders: Ensemble) -> EmbeddedQuery:
    return EmbeddedQuery(query, query_vectors(embedders, query.text))


def _confirmed(claim: Pick | Span, excerpts: Sequence[Excerpt], others: Sequence[Moment], shelf: Shelf) -> Quote | None:
    """A span was said; what a model typed is looked for in the excerpt it named, in the others, in the recording."""
    if isinstance(claim, Span):
        return Quote(claim)
    if not excerpts:
        return None
    rows = [excerpt.row for excerpt in excerpts]
    named = claim.excerpt - 1 if 1 <= claim.excerpt <= len(rows) else 0
    found = align(
        claim.text,
        rows,
        named=named,
        whole=lambda: _recording(shelf, rows[named].video.id),
        sentence=_answer_sentence(excerpts[named], others),
    )
    return None if found is None else Quote(found.span, found.match)


def _answer_sentence(excerpt: Excerpt, others: Sequence[Moment]) -> Span | None:
    """The first sentence of the answer that an excerpt holds."""
    moment = next((moment for moment in others if moment.span.row is excerpt.row), None)
    if moment is None:
        return None
    spans = (sentence.span for sentence in excerpt.sentences)
    return next((span for span in spans if span.first <= moment.span.first <= span.last), None)


def _recording(shelf: Shelf, video_id: str) -> Row | None:
    """All of a video in one row; None where an editor has taken a part of it out."""
    indices = [index for index, place in enumerate(shelf.places) if place.video_id == video_id]
    try:
        return stitch(shelf.read(indices))[0] if indices else None
    except ValueError:
        return None


def _spread(clips: Sequence[Clip], *, beside: Clip | None = None) -> tuple[Clip, ...]:
    """The best clip of each video, then the second of each, and so on; none plays what another plays."""
    taken = [beside] if beside else []
    rounds: list[tuple[int, Clip]] = []
    for candidate in clips:
        if not any(overlap(candidate, other) for other in taken):
            taken.append(candidate)
            rounds.append((sum(candidate.video.id == other.video.id for _, other in rounds), candidate))
    return tuple(candidate for _, candidate in sorted(rounds, key=lambda entry: entry[0]))
