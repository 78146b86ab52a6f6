"""What the site answers, as JSON; /openapi.json is made from these models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from qandai.model import Match, Mode


def _absent(value: object) -> bool:
    return value is None


class _Made(BaseModel):
    model_config = ConfigDict(frozen=True, serialize_by_alias=True, validate_by_name=True, validate_by_alias=True)


class YoutubeMedia(_Made):
    kind: Literal["youtube"] = "youtube"
    id: str


class AudioMedia(_Made):
    kind: Literal["audio"] = "audio"
    url: str


Media = Annotated[YoutubeMedia | AudioMedia, Field(discriminator="kind")]


class Clip(_Made):
    """A quote as it is played; seconds. `exact`: the start comes from a measured word time."""

    video_id: str
    title: str
    published: str | None
    media: Media | None
    start: float
    end: float
    timestamp: str
    quote: str
    match: Match
    exact: bool
    url: str


class Source(_Made):
    """A ranked passage, best first; higher scores are better and comparable within one answer only."""

    n: int
    passage_id: str
    video_id: str
    title: str
    published: str | None
    start: float
    end: float
    timestamp: str
    text: str
    score: float
    url: str


class Coverage(_Made):
    videos: int
    hours: float
    since: str | None = Field(alias="from")
    until: str | None = Field(alias="to")
    indexed_at: str | None


class Meta(_Made):
    scale: str | None = None
    themes: list[str] = []
    key_quote: str | None = None


class ModeEvent(_Made):
    """What is being made; `understood_as` where a follow-up was read as a question of its own."""

    mode: Mode
    understood_as: str | None = Field(default=None, exclude_if=_absent)


class SourcesEvent(_Made):
    """What was found, numbered as the text cites it."""

    sources: list[Source]


class ClipEvent(_Made):
    """The clip that answers, or that there is none; a text may still come."""

    clip: Clip | None
    alternatives: list[Clip]
    answered: bool
    refused: bool


class TextEvent(_Made):
    """A sentence that was checked, with its sources as [n]. `paragraph`: it begins one."""

    text: str
    paragraph: bool


class Timings(_Made):
    """Milliseconds per step; 0 for a step that was not needed."""

    expand: float = 0.0
    embed: float = 0.0
    retrieve: float = 0.0
    select: float = 0.0
    generate: float = 0.0
    align: float = 0.0
    total: float = 0.0


class AskResponse(_Made):
    person: str
    question: str
    understood_as: str | None = Field(default=None, exclude_if=_absent)
    mode: Mode
    answered: bool
    refused: bool
    degraded: str | None
    answer: str
    clip: Clip | None
    alternatives: list[Clip]
    sources: list[Source]
    meta: Meta | None
    coverage: Coverage
    model: str | None
    cached: bool
    request_id: str
    timings_ms: Timings


class SearchResponse(_Made):
    person: str
    question: str
    sources: list[Source]
    coverage: Coverage
    request_id: str
    timings_ms: Timings


State = Literal["ready", "indexing", "failed"]


class PersonState(_Made):
    state: State
    reason: str | None = Field(default=None, exclude_if=_absent)
    passages: int


class ReadyResponse(_Made):
    ready: bool
    persons: dict[str, PersonState]


class HealthResponse(_Made):
    status: Literal["ok"] = "ok"


class Person(_Made):
    slug: str
    name: str
    language: str
    tagline: str
    portrait: str | None
    synthetic_voice: bool
    suggested_questions: list[str]
    state: State
    coverage: Coverage | None
    url: str


class Video(_Made):
    id: str
    title: str
    source: Literal["youtube", "audio"] | None
    published: str | None
    duration: float | None
    channel: str | None
    language: str | None
    media: Media | None
    url: str


class PersonDetail(Person):
    videos: list[Video]


class PeopleResponse(_Made):
    people: list[Person]


class WordTime(_Made):
    word: str
    start: float
    end: float
    estimated: bool | None = Field(default=None, exclude_if=_absent)


class Segment(_Made):
    start: float
    end: float
    text: str
    speaker: str | None = Field(default=None, exclude_if=_absent)
    words: list[WordTime]


class TranscriptResponse(_Made):
    person: str
    video: Video
    segments: list[Segment]


class FeedbackResponse(_Made):
    accepted: Literal[True] = True


class ErrorDetail(_Made):
    code: str
    message: str
    hint: str


class ErrorResponse(_Made):
    error: ErrorDetail
    request_id: str
