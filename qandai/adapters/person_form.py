"""What a person file may say, key by key: the fields, and the JSON Schema that is made of them."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from qandai.model import Person, Source

Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
SourceKey = Literal["audio", "youtube", "youtube_ids", "youtube_search", "feed"]
SOURCE_KEYS: tuple[SourceKey, ...] = ("audio", "youtube", "youtube_ids", "youtube_search", "feed")


def _below_home(path: str) -> str:
    if path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/"):
        raise ValueError("must be a folder below the home, such as audio/guide")
    return path


def _http_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"\s", url):
        raise ValueError("must be an http(s) address")
    return url


def _youtube_listing(url: str) -> str:
    parts = urlsplit(_http_url(url))
    if parts.hostname not in ("www.youtube.com", "youtube.com", "m.youtube.com"):
        raise ValueError("must be an address on www.youtube.com")
    if parts.path == "/playlist" and parse_qs(parts.query).get("list"):
        return url
    if re.fullmatch(r"/(@[^/]+|(channel|c|user)/[^/]+)/(videos|streams|shorts|playlists)/?", parts.path):
        return url
    if re.fullmatch(r"/(@[^/]+|(channel|c|user)/[^/]+)/?", parts.path):
        raise ValueError(f"must name a tab of the channel, such as {url.rstrip('/')}/videos")
    raise ValueError("must be a channel's tab (…/@name/videos) or a playlist (…/playlist?list=…)")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceFile(_Strict):
    """One place to find recordings: exactly one of audio, youtube, youtube_ids, youtube_search, feed."""

    audio: Annotated[Short, AfterValidator(_below_home)] | None = None
    youtube: Annotated[Short, AfterValidator(_youtube_listing)] | None = None
    youtube_ids: (
        Annotated[list[Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{11}$")]], Field(min_length=1)] | None
    ) = None
    youtube_search: Short | None = None
    feed: Annotated[Short, AfterValidator(_http_url)] | None = None
    include: list[Short] = []
    exclude: list[Short] = []
    min_minutes: Annotated[float, Field(ge=0)] | None = None
    max_minutes: Annotated[float, Field(gt=0)] | None = None
    after: date | None = None
    before: date | None = None
    limit: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _one_place(self) -> SourceFile:
        if sum(getattr(self, key) is not None for key in SOURCE_KEYS) != 1:
            raise ValueError(f"must have exactly one of {', '.join(SOURCE_KEYS)}")
        return self

    def source(self) -> Source:
        kind = next(key for key in SOURCE_KEYS if getattr(self, key) is not None)
        at = getattr(self, kind)
        return Source(
            kind=kind,
            at=tuple(at) if isinstance(at, list) else (at,),
            include=tuple(self.include),
            exclude=tuple(self.exclude),
            min_minutes=self.min_minutes,
            max_minutes=self.max_minutes,
            after=self.after.isoformat() if self.after else None,
            before=self.before.isoformat() if self.before else None,
            limit=self.limit,
        )


class CaptionsFile(_Strict):
    region: Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})+$")] | None = None


class PersonFile(_Strict):
    """A person whose recordings can be asked."""

    name: Short
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")] = Field(
        "en", description="Of the speech; decides embedder, stemming and interface hints."
    )
    tagline: Annotated[str, StringConstraints(max_length=300)] = ""
    persona: Annotated[str, StringConstraints(max_length=2000)] = Field(
        "", description="Voice for query expansion and synthesis, never shown as a quote."
    )
    portrait: Annotated[str, StringConstraints(pattern=r"^[\w-][\w.-]*\.(jpg|jpeg|png|webp|svg)$")] | None = Field(
        None, description="A picture beside this file."
    )
    voice: Literal["human", "synthetic"] = Field("human", description="A synthetic voice is labelled on every page.")
    embedding: (
        Annotated[str, StringConstraints(pattern=r"^(minilm|e5|onnx:.+|openai:.+|minilm\+e5|e5\+minilm)$")] | None
    ) = Field(None, description="minilm, e5, minilm+e5, onnx:<folder> or openai:<model>; unset, the language decides.")
    speaker: Literal["solo", "interview"] | None = None
    host: Short | None = Field(None, description="The interviewer's name, when captions carry names.")
    captions: CaptionsFile = CaptionsFile()
    sources: list[SourceFile] = []
    vocabulary: list[Short] = Field([], description="Spellings for speech to text.")
    mishearings: dict[Short, Short] = Field({}, description="heard: meant")
    suggested_questions: list[Short] = []

    def person(self, slug: str) -> Person:
        return Person(
            slug=slug,
            name=self.name,
            language=self.language,
            tagline=self.tagline,
            persona=self.persona,
            portrait=self.portrait,
            embedding=self.embedding,
            speaker=self.speaker,
            host=self.host,
            captions_region=self.captions.region,
            sources=tuple(source.source() for source in self.sources),
            vocabulary=tuple(self.vocabulary),
            mishearings=dict(self.mishearings),
            suggested_questions=tuple(self.suggested_questions),
            synthetic_voice=self.voice == "synthetic",
        )


def schema() -> dict[str, Any]:
    """The JSON Schema that gives editors completion: people/schema.json."""
    return PersonFile.model_json_schema() | {"$schema": "https://json-schema.org/draft/2020-12/schema"}
