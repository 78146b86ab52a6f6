"""The story of one question, from its words to the second where the answer begins."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from time import perf_counter

from qandai.answer import Answer, Done, Event, NoAnswer, Resolved
from qandai.answering import followups, intent
from qandai.asking.finding import Finder
from qandai.asking.models import Models
from qandai.asking.notes import Notes
from qandai.asking.stopwatch import Stopwatch
from qandai.asking.telling import Teller
from qandai.chain import Outcome
from qandai.ensemble import Ensemble
from qandai.leaving import Leaving
from qandai.memory import give_back
from qandai.model import Excerpt, Mode, Person, Question
from qandai.ports import Embedder, People, Selector, Shelves
from qandai.retrieval.retriever import Retriever

_SIDE_BY_SIDE = 48  # calls to models that answers wait for while they search: two of each that a site works on at once


class Asker:
    """Answers questions from each person's newest shelf. Never changes; threads share it."""

    def __init__(
        self,
        people: People,
        shelves: Shelves,
        *,
        embedders_for: Callable[[Person], Ensemble],
        selector_for: Callable[[Embedder], Selector],
        retriever: Retriever | None = None,
        models: Models | None = None,
        lead: float = 0.3,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._people = people
        self._shelves = shelves
        self._models = models or Models()
        self._clock = clock
        self._threads = ThreadPoolExecutor(_SIDE_BY_SIDE, thread_name_prefix="model")  # starts those that it needs
        self._finder = Finder(
            retriever or Retriever(),
            self._models,
            self._threads,
            embedders_for=embedders_for,
            selector_for=selector_for,
        )
        self._teller = Teller(self._models, lead=lead)

    def ask(self, question: Question) -> Answer | NoAnswer:
        """Raises UnknownPerson, NotReady, StoreError, ProviderError."""
        with closing(self.stream(question)) as events:
            return next(event.result for event in events if isinstance(event, Done))

    def stream(self, question: Question, leaving: Leaving | None = None) -> Generator[Event, None, None]:
        """The answer as it comes about. Raises as `ask` does, at its start.

        Closing it ends what a model writes. So does `leaving`, also while it is waited for; no model is asked after it.
        """
        person = self._people.get(question.person)
        notes = Notes(Stopwatch(self._clock), *self._models.deadlines(), leaving or Leaving())
        notes.leaving.then(notes.deadline.end)
        asked = self._understood(question, person, notes)
        kind = self._kind(asked, notes)
        with self._shelves.borrow(person.slug) as shelf:
            scene = self._finder.scene(question, asked, person, shelf, notes)
            notes.mode = self._mode(asked, person, kind, notes)
            notes.short_circuited = not scene.claims and (self._models.do("select") or self._models.do("synthesise"))
            yield Resolved(notes.making())
            yield from self._teller.tell(scene, notes)

    def search(self, question: Question) -> tuple[Excerpt, ...]:
        """The ranked passages within their neighbours, best first. Never asks a model. Raises as `ask` does."""
        person = self._people.get(question.person)
        with self._shelves.borrow(person.slug) as shelf:
            return self._finder.sources(question, person, shelf, Stopwatch(self._clock))

    def warm(self, slug: str) -> None:
        """Prepares a person's shelf and model, so that the first visitor does not wait. Raises as `ask` does."""
        with self._shelves.borrow(slug) as shelf:
            self._finder.warm(self._people.get(slug), shelf)
        give_back()

    def close(self) -> None:
        """Ends every call to a model, and what serves it."""
        self._models.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _understood(self, question: Question, person: Person, notes: Notes) -> Question:
        """A follow-up as a question that stands alone: read by a model, or with what was spoken of before."""
        if not question.history:
            return question
        with notes.watch.step("expand"):
            meant = notes.of(self._models.meaning(question, person, notes.hurry))
        notes.hurry = self._models.hurry(notes.deadline)
        text = meant or followups.carried_over(question.text, question.history, person.language)
        if text == question.text:
            return question
        notes.understood_as = text
        return replace(question, text=text)

    def _kind(self, asked: Question, notes: Notes) -> Future[Outcome[intent.Intent]] | None:
        """Asked in the background; None where there is nobody or nothing to ask."""
        if asked.mode != "auto" or not self._models.do("classify"):
            return None
        return self._threads.submit(self._models.kind, asked, notes.hurry)

    def _mode(self, asked: Question, person: Person, kind: Future[Outcome[intent.Intent]] | None, notes: Notes) -> Mode:
        """Where a model should tell and does not, or too late, the text is worth more than the doubt."""
        if asked.mode != "auto":
            return asked.mode
        if kind is None:
            return intent.guess(asked.text, person.language)
        return notes.in_time(kind) or "synthesis"
