"""The values that every room shares. All frozen; all times are seconds (float) from the start of the recording.

A recording is a `Row` of timed words. A passage, an excerpt, a quote and a clip are `Span`s of that row: text and
time are looked up through the span, so a quote cannot be unfaithful and a clip cannot drift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

SourceKind = Literal["youtube", "audio"]
Captions = Literal["auto", "manual", "merged", "whisper", "imported"]
Speaking = Literal["solo", "interview"]
Mode = Literal["clip", "synthesis", "sources"]
Match = Literal["exact", "repaired"]

RESERVED_SLUGS = frozenset(
    {
        "about",
        "admin",
        "api",
        "docs",
        "embed",
        "favicon",
        "health",
        "heard",
        "ingest",
        "media",
        "metrics",
        "models",
        "openapi",
        "people",
        "portraits",
        "questions",
        "ready",
        "replies",
        "report",
        "rewrites",
        "robots",
        "static",
        "store",
        "vectors",
    }
)
"""Names of the site's pages and of the store's own folders, which no person may have."""


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word as it is shown.

    `text` holds no white space. `exact` is False where the time was interpolated. `turn` marks a speaker change
    before this word. `glued` words follow the one before without a space (Chinese, Japanese, Thai).
    """

    text: str
    start: float
    end: float
    exact: bool = True
    turn: bool = False
    speaker: str | None = None
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Video:
    """One recording. `source` is None where there are text and times but nothing to play.

    `url` of an audio recording is an http(s) address or a path below the home, with forward slashes.
    `published` is an ISO date, `duration` seconds, `language` a BCP 47 tag; None means unknown.
    """

    id: str
    title: str
    source: SourceKind | None = None
    url: str | None = None
    published: str | None = None
    duration: float | None = None
    channel: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """Consecutive words of one video; `offset` is the position of the first in the whole recording."""

    video: Video
    words: tuple[Word, ...]
    offset: int = 0

    @property
    def last(self) -> int:
        """Position of the last word (inclusive)."""
        return self.offset + len(self.words) - 1

    def span(self, first: int, last: int) -> Span:
        """The words from position `first` to `last`, both inclusive and within the row."""
        return Span(self, first, last)

    def whole(self) -> Span:
        return Span(self, self.offset, self.last)


@dataclass(frozen=True, slots=True)
class Span:
    """Words `first` to `last` (inclusive positions in the recording) of a row."""

    row: Row
    first: int
    last: int

    def __post_init__(self) -> None:
        if not self.row.offset <= self.first <= self.last <= self.row.last:
            raise ValueError(f"span {self.first}-{self.last} lies outside its row {self.row.offset}-{self.row.last}")

    @property
    def id(self) -> str:
        return f"{self.row.video.id}:{self.first}-{self.last}"

    @property
    def video(self) -> Video:
        return self.row.video

    @property
    def words(self) -> tuple[Word, ...]:
        return self.row.words[self.first - self.row.offset : self.last - self.row.offset + 1]

    @property
    def text(self) -> str:
        return join(self.words)

    @property
    def start(self) -> float:
        return self.words[0].start

    @property
    def end(self) -> float:
        return max(word.end for word in self.words)


def join(words: Sequence[Word]) -> str:
    """The words as one text, with a space before each word that is not glued to the one before."""
    text = "".join(word.text if word.glued else f" {word.text}" for word in words)
    return text.removeprefix(" ")


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch without usable words."""

    start: float
    end: float
    reason: Literal["untranscribed", "loop", "silence", "not this person"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the words came from. `exact_share` is the share of words whose time was measured, 0 to 1."""

    captions: Captions = "imported"
    model: str | None = None
    origin: str | None = None
    fetched_at: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole recording in words. `segments` holds the position of each source cue's first word, ascending;
    it only shapes the file on disk: nothing that is cut, ranked or played may read it."""

    video: Video
    words: tuple[Word, ...]
    provenance: Provenance = Provenance()
    segments: tuple[int, ...] = ()
    gaps: tuple[Gap, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)

    @property
    def row(self) -> Row:
        return Row(self.video, self.words)

    @property
    def exact_share(self) -> float:
        return sum(word.exact for word in self.words) / len(self.words) if self.words else 0.0


@dataclass(frozen=True, slots=True)
class Source:
    """One place where a person's recordings come from, as the person file names it."""

    kind: Literal["audio", "youtube", "youtube_ids", "youtube_search", "feed"]
    at: tuple[str, ...]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    min_minutes: float | None = None
    max_minutes: float | None = None
    after: str | None = None
    before: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """A person file, read and checked. `embedding` None means the default for the language."""

    slug: str
    name: str
    language: str = "en"
    tagline: str = ""
    persona: str = ""
    portrait: str | None = None
    embedding: str | None = None
    speaker: Speaking | None = None
    host: str | None = None
    captions_region: str | None = None
    sources: tuple[Source, ...] = ()
    vocabulary: tuple[str, ...] = ()
    mishearings: Mapping[str, str] = field(default_factory=dict)
    suggested_questions: tuple[str, ...] = ()
    synthetic_voice: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """Narrows a question to videos, channels or dates (ISO, inclusive); empty means no narrowing."""

    videos: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What was asked before, oldest first, and the recording that was played then."""

    question: str
    video_id: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    person: str
    text: str
    mode: Mode | Literal["auto"] = "auto"
    top_k: int = 5
    filters: Filters = Filters()
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """One text that is searched for, and what it counts when runs are fused."""

    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked passage. `index` is its place in the shelf, `rank` counts from 1, `score` is higher for better,
    `cosine` the similarity of its first model's vector to the question's (-1 to 1).

    `chance` is how much of that cosine the number of passages alone explains, against an archive of 1,000: the best
    of many unrelated passages comes nearer to any question than the best of few.

    `imagined` says how near the archive comes to imagined answers: the mean over them of the nearest passage's cosine,
    less `chance`; the same for all hits of a question, None where nobody imagined any.
    """

    index: int
    rank: int
    score: float
    cosine: float
    chance: float = 0.0
    imagined: float | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a selector reads: the hit's passage within its neighbours. `passage` is a span of `row`.

    `sentences` are the units of the row in order, with the likeness of each to the question. `terms` are the
    question's words, folded, each with what it tells in this archive (inverse document frequency).

    `meant` says how much of the question has words of nearly its meaning in the row, less what the size of the archive
    explains: about 1 where all of it is said; None where a model does not tell words apart.
    """

    number: int
    row: Row
    passage: Span
    hit: Hit
    sentences: tuple[Sentence, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict)
    meant: float | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or where nothing is punctuated a stretch between pauses. `likeness` says how near it is to the
    question: 0 as near as the archive's passages are on the whole, and a step of it as much as one of all-MiniLM's
    cosine, whatever the models."""

    span: Span
    likeness: float


@dataclass(frozen=True, slots=True)
class Pick:
    """A selector's claim: words typed from excerpt number `excerpt`. Not a quote until `align` confirms it."""

    excerpt: int
    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that were said, by construction: it holds a span and no text of its own."""

    span: Span
    match: Match = "exact"

    @property
    def text(self) -> str:
        return self.span.text


@dataclass(frozen=True, slots=True)
class Clip:
    """A quote as it is played. `start` has the lead taken off already; `exact`: its start is a measured time."""

    quote: Quote
    start: float
    end: float
    exact: bool

    @property
    def video(self) -> Video:
        return self.quote.span.video


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a person's index holds. Dates are ISO; None where no recording has one."""

    videos: int
    passages: int
    hours: float
    since: str | None
    until: str | None
    indexed_at: str | None
