"""What a transcript file says of its recording, checked."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from qandai.errors import TranscriptError
from qandai.model import Captions, Gap, Provenance, SourceKind, Video

VIDEO_ID = r"^[A-Za-z0-9_-]{1,64}$"
_YOUTUBE_ID = re.compile(r"[A-Za-z0-9_-]{11}")


def _iso_date(text: str) -> str:
    try:
        valid = date.fromisoformat(text).isoformat() == text
    except ValueError:
        valid = False
    if not valid:
        raise ValueError("must be a date such as 2024-05-31")
    return text


def _address(url: str) -> str:
    """An http(s) address, or a path below the home with forward slashes."""
    try:
        parts = urlsplit(url)
    except ValueError as exc:
        raise ValueError("is no address") from exc
    is_web = parts.scheme in ("http", "https") and bool(parts.netloc)
    is_path = not parts.scheme and not url.startswith(("/", "~")) and "\\" not in url and ".." not in url.split("/")
    if not (is_web or is_path):
        raise ValueError("must be an http(s) address or a path below the home")
    return url


def _as_float(value: Any) -> Any:
    return float(value) if type(value) is int else value


Id = Annotated[str, Field(pattern=VIDEO_ID)]
Line = Annotated[str, Field(max_length=1000)]
Seconds = Annotated[float, BeforeValidator(_as_float), Field(ge=0, le=1e6, allow_inf_nan=False)]
Day = Annotated[str, AfterValidator(_iso_date)]
Language = Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$")]


class _File(BaseModel):
    """Unknown fields are ignored: a newer program may have written them."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class VideoFile(_File):
    id: Id
    title: Line | None = None
    source: SourceKind | None = None
    url: Annotated[str, Field(max_length=2000), AfterValidator(_address)] | None = None
    published: Day | None = None
    duration: Seconds | None = None
    channel: Line | None = None
    language: Language | None = None

    def video(self) -> Video:
        return Video(
            id=self.id,
            title=self.id if self.title is None else self.title,
            source=self.source,
            url=self.url,
            published=self.published,
            duration=self.duration,
            channel=self.channel,
            language=self.language,
        )


class ProvenanceFile(_File):
    captions: Captions = "imported"
    model: Line | None = None
    origin: Line | None = None
    fetched_at: Line | None = None

    def provenance(self) -> Provenance:
        return Provenance(self.captions, self.model, self.origin, self.fetched_at)


class GapFile(_File):
    start: Seconds
    end: Seconds
    reason: Literal["untranscribed", "loop", "silence"]

    def gap(self) -> Gap:
        return Gap(self.start, self.end, self.reason)


class HeaderFile(_File):
    """Format 1 without its segments."""

    video: VideoFile
    provenance: ProvenanceFile = ProvenanceFile()
    gaps: list[GapFile] = []
    repairs: dict[Line, Annotated[int, Field(ge=0)]] = {}


class FlatFile(_File):
    """The flat object: `date` is the day of publication, `source` says where the words come from."""

    video_id: Id
    title: Line | None = None
    source: Line | None = None
    language: Language | None = None
    date: Day | None = None

    def video(self) -> Video:
        return Video(
            id=self.video_id,
            title=self.video_id if self.title is None else self.title,
            source="youtube" if _YOUTUBE_ID.fullmatch(self.video_id) else None,
            published=self.date,
            language=self.language,
        )


F = TypeVar("F", bound=_File)


def checked(kind: type[F], document: dict[str, Any]) -> F:
    """Raises TranscriptError that names the first field at fault and the reason."""
    header = {key: value for key, value in document.items() if key in kind.model_fields}
    try:
        return kind.model_validate(header)
    except ValidationError as exc:
        error = exc.errors(include_url=False)[0]
        field = ".".join(str(part) for part in error["loc"])
        reason = error["msg"].removeprefix("Value error, ")
        more = f" (and {exc.error_count() - 1} more)" if exc.error_count() > 1 else ""
        raise TranscriptError(f"`{field}`: {reason}{more}.") from exc


def named_id(document: Any, stem: str) -> str | None:
    """The id of a transcript of which only the top is looked at; None if it names none that is valid."""
    named: Any = stem
    if isinstance(document, dict):
        video = document.get("video")
        named = video.get("id") if "format" in document and isinstance(video, dict) else document.get("video_id")
    return named if isinstance(named, str) and re.fullmatch(VIDEO_ID, named) else None
