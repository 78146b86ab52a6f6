"""The front desk: what the pages and the API both ask of the site's collaborators."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from time import perf_counter

from qandai.answer import Answer, Done, Event, Found, Making, NoAnswer, Resolved
from qandai.errors import Busy, NotReady, PersonFileError, QandaiError, StoreError, UnknownVideo
from qandai.leaving import Leaving
from qandai.model import Clip, Coverage, Excerpt, Person, Question, Video
from qandai.ports import ShelfState
from qandai.site import Site
from qandai.web.following import Pipe
from qandai.web.recordings import Recording, clip_at, recording
from qandai.web.requests import AskRequest, FeedbackGiven, Moment
from qandai.web.turns import AT_ONCE, AT_ONCE_WITH_MODELS, Turns

_WRITERS = 2
"""Threads that a database which hangs may hold."""

_MISSING = ShelfState("failed", reason="Nothing is indexed yet.")


@dataclass(frozen=True, slots=True)
class Profile:
    """A person as pages show them. `videos` newest first; empty, and `coverage` None, until they can be asked."""

    person: Person
    state: ShelfState
    coverage: Coverage | None = None
    videos: tuple[Video, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """`result` is a tuple of excerpts where only sources were wanted."""

    person: Person
    question: Question
    result: Answer | NoAnswer | tuple[Excerpt, ...]
    coverage: Coverage
    total_ms: float
    timings_ms: Mapping[str, float] = field(default_factory=dict)


class Following:
    """An answer while it is made. Whoever takes one closes it."""

    def __init__(
        self,
        person: Person,
        question: Question,
        pipe: Pipe[Coverage | Event],
        leaving: Leaving,
        clock: Callable[[], float],
    ) -> None:
        """Raises what making the answer raises before it begins."""
        self.person = person
        self.question = question
        self._pipe = pipe
        self._leaving = leaving
        self._clock = clock
        self._began = clock()
        began = pipe.first()
        assert isinstance(began, Coverage)
        self._coverage = began

    def __iter__(self) -> Iterator[Event | None]:
        """None after each second without news. Raises what making the answer raises."""
        for event in self._pipe:
            if not isinstance(event, Coverage):
                yield event

    def reply(self, result: Answer | NoAnswer | tuple[Excerpt, ...]) -> Reply:
        """What an event holds, as the answer to the question."""
        steps = {} if isinstance(result, tuple) else result.timings_ms
        ms = (self._clock() - self._began) * 1000
        return Reply(self.person, self.question, result, self._coverage, ms, steps)

    def close(self) -> None:
        """Nobody listens any more."""
        self._pipe.close()
        self._leaving.go()


Note = Callable[[str, Answer | NoAnswer | tuple[Excerpt, ...], float], None]


def _unnoted(person: str, result: Answer | NoAnswer | tuple[Excerpt, ...], ms: float) -> None:
    """For the command line, whose output is the answer alone."""


class Desk:
    """Threads share it. `note` is told of every answer, and how many milliseconds it took."""

    def __init__(self, site: Site, *, note: Note = _unnoted, clock: Callable[[], float] = perf_counter) -> None:
        self._site = site
        self._note = note
        self._clock = clock
        self._turns = Turns(site.settings.threads, at_once=AT_ONCE_WITH_MODELS if site.models else AT_ONCE)
        self._notes = BoundedSemaphore(_WRITERS)

    def ask(self, asked: AskRequest) -> Reply:
        """Raises UnknownPerson, NotReady, StoreError, ProviderError, Busy."""
        person = self._site.people.get(asked.person)
        question = asked.asked(self._site.settings.top_k)
        began = self._clock()
        with self._turns.taken(), self._site.shelves.borrow(person.slug) as shelf:
            result = self._find(question)
        steps = {} if isinstance(result, tuple) else result.timings_ms
        ms = (self._clock() - began) * 1000
        self._note(person.slug, result, ms)
        return Reply(person, question, result, shelf.coverage, ms, steps)

    def follow(self, asked: AskRequest) -> Following:
        """The same, told part by part. Raises as `ask` does, later through the following's events."""
        person = self._site.people.get(asked.person)
        question = asked.asked(self._site.settings.top_k)
        leaving = Leaving()
        pipe: Pipe[Coverage | Event] = Pipe(lambda: self._made(person, question, leaving))
        return Following(person, question, pipe, leaving, self._clock)

    def _made(self, person: Person, question: Question, leaving: Leaving) -> Generator[Coverage | Event, None, None]:
        """The place and the shelf are held until the last part is made, or nobody listens."""
        began = self._clock()
        with self._turns.taken(), self._site.shelves.borrow(person.slug) as shelf:
            yield shelf.coverage
            if question.mode == "sources":
                yield Resolved(Making(mode="sources"))
                found = self._site.asker.search(question)
                yield Found(found)
                self._note(person.slug, found, (self._clock() - began) * 1000)
                return
            with closing(self._site.asker.stream(question, leaving)) as events:
                for event in events:
                    yield event
                    if isinstance(event, Done):
                        self._note(person.slug, event.result, (self._clock() - began) * 1000)

    def _find(self, question: Question) -> Answer | NoAnswer | tuple[Excerpt, ...]:
        if question.mode == "sources":
            return self._site.asker.search(question)
        return self._site.asker.ask(question)

    def person(self, slug: str) -> Person:
        return self._site.people.get(slug)

    def people(self) -> tuple[Profile, ...]:
        """Everybody whose file can be read; a broken one never hides the others."""
        profiles = []
        for slug in self._site.people.slugs():
            try:
                profiles.append(self.profile(slug))
            except PersonFileError:
                continue  # `qandai people check` and the log of `serve` name it
        return tuple(profiles)

    def profile(self, slug: str) -> Profile:
        person = self._site.people.get(slug)
        state = self._site.shelves.states().get(slug, _MISSING)
        try:
            with self._site.shelves.borrow(slug) as shelf:
                videos = sorted(shelf.videos.values(), key=lambda video: (video.published or "", video.id))
                return Profile(person, state, shelf.coverage, tuple(reversed(videos)))
        except (NotReady, StoreError):
            return Profile(person, state)

    def recording(self, slug: str, video_id: str) -> tuple[Person, Recording]:
        """Raises UnknownPerson, UnknownVideo, NotReady, StoreError."""
        person = self._site.people.get(slug)
        with self._site.shelves.borrow(slug) as shelf:
            return person, recording(shelf, video_id)

    def video(self, slug: str, video_id: str) -> Video | None:
        with self._site.shelves.borrow(self._site.people.get(slug).slug) as shelf:
            return shelf.videos.get(video_id)

    def keep(self, given: FeedbackGiven) -> None:
        """Raises UnknownPerson, UnknownVideo, NotReady, StoreError, Busy."""
        if self._site.feedback is None:
            raise NotReady("This site keeps no feedback.")
        if self.video(given.person, given.video_id) is None:
            raise UnknownVideo(f"There is no recording {given.video_id!r} here.")
        if not self._notes.acquire(blocking=False):
            raise Busy("Many reports are coming in just now.", hint="Please send it again in a few seconds.")
        try:
            self._site.feedback.keep(given.note())
        finally:
            self._notes.release()

    def moment(self, slug: str, moment: Moment) -> Clip | None:
        """None where the recording is no longer here, or nobody speaks then."""
        with self._site.shelves.borrow(slug) as shelf:
            try:
                return clip_at(shelf, moment.v, moment.t, moment.until, lead=self._site.settings.lead_seconds)
            except QandaiError:
                return None
