"""Stand-ins for the ports, small and honest: they keep the promises of `qandai.ports` in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from qandai import answer as parts
from qandai.answer import Answer, Done, Essay, Event, Found, Making, NoAnswer, Resolved
from qandai.chat import Completion, Prompt
from qandai.errors import NotReady, QandaiError, UnknownPerson, UnknownVideo
from qandai.feedback import REFUSALS, Note, Refusal
from qandai.hearing import AudioFormat, Heard, Sound, TranscriberLimits
from qandai.leaving import Leaving
from qandai.model import (
    Clip,
    Coverage,
    Excerpt,
    Hit,
    Person,
    Question,
    Quote,
    Row,
    Span,
    Transcript,
    Video,
)
from qandai.origins import Entry, Wait
from qandai.ports import Calibration, Inside, Leaf, Place, Reading, ShelfState, Vectors
from qandai.text import tokens, word_places


class MemoryPeople:
    """Person files. A value that is an error is raised when that person is read."""

    def __init__(self, *people: Person, broken: Mapping[str, QandaiError] | None = None) -> None:
        self._people = {person.slug: person for person in people}
        self._broken = dict(broken or {})

    def slugs(self) -> tuple[str, ...]:
        return tuple(sorted({*self._people, *self._broken}))

    def get(self, slug: str) -> Person:
        if slug in self._broken:
            raise self._broken[slug]
        if slug not in self._people:
            raise UnknownPerson(f"There is no person {slug!r}.", hint="Try: qandai people")
        return self._people[slug]


class MemoryShelf:
    """Passages given as spans, in any order."""

    generation = "1"

    def __init__(self, *passages: Span, coverage: Coverage | None = None) -> None:
        self._spans = sorted(passages, key=lambda span: (span.video.id, span.first))
        self.videos: Mapping[str, Video] = {span.video.id: span.video for span in self._spans}
        self.places: Sequence[Place] = [Place(span.video.id, span.first, span.last) for span in self._spans]
        self.texts: Sequence[str] = [span.text for span in self._spans]
        self.vectors: Vectors = np.zeros((len(self._spans), 1), np.float32)
        dates = sorted(video.published for video in self.videos.values() if video.published)
        hours = sum(video.duration or 0.0 for video in self.videos.values()) / 3600
        self.coverage = coverage or Coverage(
            videos=len(self.videos),
            passages=len(self._spans),
            hours=hours,
            since=dates[0] if dates else None,
            until=dates[-1] if dates else None,
            indexed_at="2026-05-01T12:00:00+00:00",
        )

    def read(self, indices: Sequence[int]) -> tuple[Leaf, ...]:
        """Like a store: each passage comes with its own words and no others."""
        leaves = []
        for index in indices:
            span = self._spans[index]
            own = Row(span.video, span.words, span.first).whole()
            leaves.append(Leaf(own, (own,), np.ones((1, 1), np.float32)))
        return tuple(leaves)

    def inside(self, indices: Sequence[int]) -> tuple[Inside, ...]:
        return tuple(Inside(leaf.vectors, leaf.signs) for leaf in self.read(indices))


class MemoryShelves:
    """`states` overrides what follows from having a shelf."""

    def __init__(self, shelves: Mapping[str, MemoryShelf], states: Mapping[str, ShelfState] | None = None) -> None:
        self._shelves = shelves
        self._states = dict(states or {})
        self.borrowed = 0

    def start(self) -> None: ...

    def await_index(self, slugs: Collection[str]) -> None: ...

    def close(self) -> None: ...

    def states(self) -> Mapping[str, ShelfState]:
        ready = {slug: ShelfState("ready", len(shelf.places)) for slug, shelf in self._shelves.items()}
        return ready | self._states

    @contextmanager
    def borrow(self, slug: str) -> Iterator[MemoryShelf]:
        if slug not in self._shelves:
            raise NotReady(f"{slug} is being indexed.", hint="Try again in a moment.")
        self.borrowed += 1
        try:
            yield self._shelves[slug]
        finally:
            self.borrowed -= 1


class WordAsker:
    """Answers with the passage that shares most words with the question; never said without two of them. Has no model:
    an answer from the whole archive is its highlights."""

    def __init__(self, shelves: MemoryShelves, *, lead: float = 0.3, least: int = 2) -> None:
        self._shelves = shelves
        self._lead = lead
        self._least = least
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Answer | NoAnswer:
        self.asked.append(question)
        excerpts = self.search(question)
        clips = tuple(self._clip(excerpt.passage) for excerpt in excerpts)
        broad = question.mode == "synthesis"
        making = Making(mode="synthesis", lacking=("text",)) if broad else Making()
        if not excerpts or excerpts[0].hit.score < self._least:
            return NoAnswer(question, clips[:3], {"total": 1.0}, making)
        essay = Essay(excerpts, clips) if broad else None
        return Answer(question, clips[0], clips[1:], excerpts, {"embed": 0.5, "total": 1.0}, making, essay)

    def stream(self, question: Question, leaving: Leaving | None = None) -> Generator[Event, None, None]:
        result = self.ask(question)
        yield Resolved(result.making)
        if isinstance(result, Answer):
            yield Found(result.excerpts)
        yield parts.Heard(result)
        yield Done(result)

    def warm(self, slug: str) -> None: ...

    def close(self) -> None: ...

    def search(self, question: Question) -> tuple[Excerpt, ...]:
        wanted = {word for word in tokens(question.text) if len(word) > 3}
        with self._shelves.borrow(question.person) as shelf:
            scores = [len(wanted & set(tokens(text))) for text in shelf.texts]
            ranked = sorted((place for place, score in enumerate(scores) if score), key=lambda place: -scores[place])
            leaves = shelf.read(ranked[: question.top_k])
            return tuple(
                Excerpt(rank, leaf.passage.row, leaf.passage, Hit(place, rank, float(scores[place]), 0.5))
                for rank, (place, leaf) in enumerate(zip(ranked, leaves, strict=False), start=1)
            )

    def _clip(self, span: Span) -> Clip:
        return Clip(Quote(span), max(0.0, span.start - self._lead), span.end, span.words[0].exact)


class BagOfWordsEmbedder:
    """Texts are alike as far as they share words. Counts what it was asked for."""

    calibration = Calibration(floor=0.3)
    tells_words = True

    def __init__(self, *, model: str = "bag-of-words", dimension: int = 64, most_words: int = 512) -> None:
        self.model = model
        self.most_words = most_words
        self.dimension = dimension
        self.embedded: list[str] = []
        self.calls = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        self.embedded.extend(texts)
        return np.stack([self.query(text) for text in texts]) if texts else np.zeros((0, self.dimension), np.float32)

    def query(self, text: str) -> np.ndarray:
        return self._counted(text)

    def _counted(self, text: str) -> np.ndarray:
        vector = np.zeros(self.dimension, np.float32)
        vector[0] = 1e-3  # a text without words has a direction too
        for word in tokens(text):
            vector[int.from_bytes(hashlib.blake2s(word.encode(), digest_size=4).digest()) % self.dimension] += 1
        return vector / np.linalg.norm(vector)

    def read_passages(self, texts: Sequence[str]) -> list[Reading]:
        return [Reading(vector, self._words(text)) for text, vector in zip(texts, self.passages(texts), strict=True)]

    def read_query(self, text: str) -> Reading:
        return Reading(self.query(text), self._words(text))

    def _words(self, text: str) -> Vectors:
        words = [text[first:last] for first, last in word_places(text)] or [text]
        return np.stack([self._counted(word) for word in words])

    def overlong(self, texts: Sequence[str]) -> int:
        return sum(len(tokens(text)) > self.most_words for text in texts)

    def knows(self, word: str) -> bool:
        return tokens(word) == ("crew",)


class MemoryTranscripts:
    """Transcript files. A value that is an error is raised when it is read."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Transcript | QandaiError] = {}

    def ids(self, slug: str) -> tuple[str, ...]:
        return tuple(sorted(video_id for owner, video_id in self.kept if owner == slug))

    def read(self, slug: str, video_id: str) -> Transcript:
        found = self.kept.get((slug, video_id))
        if found is None:
            raise UnknownVideo(f"{slug} has no recording {video_id!r}.")
        if isinstance(found, QandaiError):
            raise found
        return found

    def write(self, slug: str, transcript: Transcript) -> None:
        self.kept[slug, transcript.video.id] = transcript


class PlannedAudio:
    """A recording that only has a length and silences. A piece of it is a path that says from when to when."""

    def __init__(self, sound: Sound, *, digest: str = "ab" * 32) -> None:
        self.sound = sound
        self.listened = 0
        self._digest = digest

    def digest(self, recording: Path) -> str:
        return self._digest

    def listen(self, recording: Path) -> Sound:
        self.listened += 1
        return self.sound

    def quietest(self, recording: Path, start: float, end: float) -> float:
        return (start + end) / 2

    @contextmanager
    def cut(self, recording: Path, start: float, end: float, form: AudioFormat) -> Iterator[Path]:
        yield Path(f"{start}-{end}.{form}")


class ListeningTranscriber:
    """Hears of a piece (from second, to second) what `hear` says. Remembers what it was asked, in `asked`."""

    def __init__(
        self,
        hear: Callable[[float, float], Heard],
        *,
        model: str = "ears",
        limits: TranscriberLimits = TranscriberLimits(),  # noqa: B008  # frozen
    ) -> None:
        self._hear = hear
        self.model = model
        self.limits = limits
        self.asked: list[tuple[float, float, str | None, str]] = []

    def transcribe(self, piece: Path, *, language: str | None, prompt: str) -> Heard:
        start, end = map(float, piece.stem.split("-"))
        self.asked.append((start, end, language, prompt))
        return self._hear(start, end)


class MemoryHeard:
    """What was heard, in memory."""

    def __init__(self) -> None:
        self._heard: dict[tuple[str, str], Heard] = {}
        self._sounds: dict[str, Sound] = {}
        self._names: set[tuple[str, str]] = set()

    def heard(self, recording: str, key: str) -> Heard | None:
        return self._heard.get((recording, key))

    def keep(self, recording: str, key: str, heard: Heard) -> None:
        self._heard[recording, key] = heard

    def sound(self, recording: str) -> Sound | None:
        return self._sounds.get(recording)

    def keep_sound(self, recording: str, sound: Sound) -> None:
        self._sounds[recording] = sound

    def name(self, recording: str, video_id: str) -> None:
        self._names.add((recording, video_id))

    def forget(self, video_id: str) -> bool:
        gone = {recording for recording, name in self._names if name == video_id}
        self._heard = {key: heard for key, heard in self._heard.items() if key[0] not in gone}
        return bool(gone)


class MemoryFeedback:
    def __init__(self) -> None:
        self._notes: list[Note] = []

    def keep(self, note: Note) -> None:
        self._notes.append(note)

    def notes(self, person: str) -> tuple[Note, ...]:
        return tuple(note for note in self._notes if note.person == person)

    def refusals(self, person: str) -> dict[str, Refusal]:
        ids = [n.video_id for n in self.notes(person) if n.kind == "playback" and n.code in REFUSALS]
        return {video_id: Refusal(ids.count(video_id), datetime.now(UTC)) for video_id in ids}

    def forget(self, person: str, video_id: str | None = None) -> int:
        gone = [note for note in self.notes(person) if video_id in (None, note.video_id)]
        self._notes = [note for note in self._notes if note not in gone]
        return len(gone)


class MemoryLedgers:
    def __init__(self) -> None:
        self.kept: dict[str, Mapping[str, Entry]] = {}
        self.writes = 0

    def read(self, slug: str) -> Mapping[str, Entry]:
        return self.kept.get(slug, {})

    def write(self, slug: str, entries: Mapping[str, Entry]) -> None:
        self.kept[slug] = dict(entries)
        self.writes += 1

    @contextmanager
    def holding(self, slug: str) -> Iterator[None]:
        yield


class MemoryWaits:
    def __init__(self) -> None:
        self.kept: dict[str, Wait] = {}

    def get(self, service: str) -> Wait | None:
        return self.kept.get(service)

    def put(self, service: str, wait: Wait | None) -> None:
        self.kept.pop(service, None)
        if wait:
            self.kept[service] = wait


class SharedWordsReranker:
    """Counts the words that question and text share. Remembers which texts it read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> np.ndarray:
        self.read.extend(texts)
        asked = set(tokens(question))
        return np.array([len(asked & set(tokens(text))) for text in texts], np.float32)


class ScriptedPieces:
    """A reply in pieces; one that is an error is raised in its place."""

    def __init__(self, pieces: Iterator[str | QandaiError]) -> None:
        self._pieces = pieces
        self.closed = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        said = next(self._pieces)
        if isinstance(said, QandaiError):
            raise said
        return said

    def close(self) -> None:
        self.closed = True


class ScriptedLlm:
    """Says what it was given, one reply a call, the last again and again; a reply that is an error is raised. Remembers
    its prompts and seconds. `stream` says the same in pieces of `size` characters."""

    def __init__(
        self,
        *replies: str | QandaiError,
        model: str = "scripted",
        provider: str = "nobody",
        size: int = 7,
        before: Callable[[], object] = lambda: None,
    ) -> None:
        self.model = model
        self.provider = provider
        self._replies = list(replies)
        self._size = size
        self._before = before
        self.asked: list[Prompt] = []
        self.seconds: list[float] = []
        self.streams: list[ScriptedPieces] = []

    def complete(self, prompt: Prompt, *, seconds: float) -> Completion:
        reply = self._next(prompt, seconds)
        if isinstance(reply, QandaiError):
            raise reply
        return Completion(reply, self.model, 100, 10)

    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> ScriptedPieces:
        reply = self._next(prompt, seconds)
        pieces: list[str | QandaiError]
        if isinstance(reply, QandaiError):
            pieces = [reply]
        else:
            pieces = [reply[at : at + self._size] for at in range(0, len(reply), self._size)]
        self.streams.append(ScriptedPieces(iter(pieces)))
        return self.streams[-1]

    def _next(self, prompt: Prompt, seconds: float) -> str | QandaiError:
        self.asked.append(prompt)
        self.seconds.append(seconds)
        self._before()
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


class ScriptedAsker(WordAsker):
    """Tells what it was given, step by step; a step that is an error is raised, one that is a function is called."""

    def __init__(self, shelves: MemoryShelves, *steps: Event | Exception | Callable[[], object]) -> None:
        super().__init__(shelves)
        self._steps = steps
        self.closed = 0

    def ask(self, question: Question) -> Answer | NoAnswer:
        (done,) = (event for event in self.stream(question) if isinstance(event, Done))
        return done.result

    def stream(self, question: Question, leaving: Leaving | None = None) -> Generator[Event, None, None]:
        self.asked.append(question)
        try:
            for step in self._steps:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, Event):
                    yield step
                else:
                    step()
        finally:
            self.closed += 1
