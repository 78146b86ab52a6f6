"""What strangers send, parsed once at the door; /openapi.json is made from the same models."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal, Protocol, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from qandai import model
from qandai.errors import QandaiError
from qandai.feedback import Note
from qandai.model import Filters, Question

MAX_QUESTION = 500
FALLBACK_SECONDS = 30.0
MAX_CLIP_SECONDS = 900.0


class Malformed(QandaiError):
    """A request that cannot be read; its message names the field and never repeats the value."""


def _whole(value: object) -> object:
    """JSON can spell half a character, which can be neither stored nor sent on."""
    if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError("must be whole text")
    return value


def clean(value: object) -> object:
    """One line without control characters; other types pass, to be refused by their validator."""
    if not isinstance(value, str):
        return value
    kept = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in value)
    return " ".join(kept.split())


def _has_words(value: str) -> str:
    if not any(char.isalnum() for char in value):
        raise ValueError("must hold at least one word")
    return value


def _written(value: object) -> object:
    """Dates are text: a number would be read as seconds since 1970."""
    if value is not None and not isinstance(value, str | date):
        raise ValueError("must be a date such as 2026-03-01")
    return value


# The lengths stand first, so that what is too long is told in characters.
Slug = Annotated[str, StringConstraints(min_length=1, max_length=64), BeforeValidator(_whole)]
VideoId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
QuestionText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_QUESTION),
    BeforeValidator(clean),
    BeforeValidator(_whole),
    AfterValidator(_has_words),
]
TopK = Annotated[int, Field(ge=1, le=20, strict=True)]
ShortText = Annotated[
    str, StringConstraints(min_length=1, max_length=200), BeforeValidator(clean), BeforeValidator(_whole)
]
IsoDate = Annotated[date, BeforeValidator(_written)]


class _Given(BaseModel):
    """A request: unknown keys are refused, so that a misspelt option is never silently ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FiltersGiven(_Given):
    """Narrows a question to recordings, channels or dates (both inclusive)."""

    videos: Annotated[list[VideoId], Field(max_length=100)] = []
    sources: Annotated[list[ShortText], Field(max_length=20)] = []
    since: IsoDate | None = Field(None, alias="from")
    until: IsoDate | None = Field(None, alias="to")

    @model_validator(mode="after")
    def _in_order(self) -> FiltersGiven:
        if self.since and self.until and self.since > self.until:
            raise ValueError("from must not be after to")
        return self

    def filters(self) -> Filters:
        return Filters(
            videos=tuple(self.videos),
            sources=tuple(self.sources),
            since=self.since.isoformat() if self.since else None,
            until=self.until.isoformat() if self.until else None,
        )


NO_FILTERS = FiltersGiven.model_validate({})


class Turn(_Given):
    question: QuestionText
    video_id: VideoId | None = None


class AskRequest(_Given):
    person: Slug
    question: QuestionText
    mode: Literal["auto", "clip", "synthesis", "sources"] = "auto"
    top_k: TopK | None = None
    filters: FiltersGiven = NO_FILTERS
    history: Annotated[list[Turn], Field(max_length=4)] = []

    def asked(self, top_k: int) -> Question:
        """`top_k` is the site's default."""
        return Question(
            person=self.person,
            text=self.question,
            mode=self.mode,
            top_k=self.top_k or top_k,
            filters=self.filters.filters(),
            history=tuple(model.Turn(turn.question, turn.video_id) for turn in self.history),
        )


class HistoryGiven(_Given):
    """What the page's script knows and no address holds: the questions before this one, oldest first."""

    history: Annotated[list[Turn], Field(max_length=4)] = []


class SearchRequest(_Given):
    person: Slug
    question: QuestionText
    top_k: TopK | None = None
    filters: FiltersGiven = NO_FILTERS

    def ask(self) -> AskRequest:
        return AskRequest(
            person=self.person, question=self.question, mode="sources", top_k=self.top_k, filters=self.filters
        )


class FeedbackGiven(_Given):
    """playback: a recording did not play, `code` says how. thumb: `value`. line: `text`, what was really said."""

    kind: Literal["playback", "thumb", "line"]
    person: Slug
    video_id: VideoId
    request_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{8,64}$")] | None = None
    code: (
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9 ._-]{1,40}$")]
        | Annotated[int, Field(ge=0, lt=10**6)]
        | None
    ) = None
    value: Annotated[int, Field(ge=-1, le=1)] | Annotated[str, StringConstraints(pattern=r"^[a-z]{1,20}$")] | None = (
        None
    )
    at: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    text: Annotated[str, Field(max_length=1000), BeforeValidator(clean), BeforeValidator(_whole)] | None = None

    def note(self) -> Note:
        return Note(
            kind=self.kind,
            person=self.person,
            video_id=self.video_id,
            request_id=self.request_id,
            code=None if self.code is None else str(self.code),
            value=None if self.value is None else str(self.value),
            second=self.at,
            text=self.text or None,
        )


class Moment(_Given):
    """A clip that a link holds: v, t and end of a page's address, in seconds."""

    v: VideoId
    t: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    end: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None

    @property
    def until(self) -> float:
        """A link without a usable end plays half a minute."""
        end = self.end if self.end is not None and self.end > self.t else self.t + FALLBACK_SECONDS
        return min(end, self.t + MAX_CLIP_SECONDS)


Given = TypeVar("Given", bound=_Given)


def parse(model: type[Given], value: object) -> Given:
    """Raises Malformed, naming the fields at fault."""
    try:
        return model.model_validate(value)
    except ValidationError as exc:
        faults = [_words(fault["loc"], fault["msg"]) for fault in exc.errors(include_input=False)[:3]]
        raise Malformed("; ".join(faults), hint="The shape of every request is at /docs.") from exc


class Arguments(Protocol):
    """Of an address; a name may stand there several times."""

    def get(self, key: str, /) -> str | None: ...

    def getlist(self, key: str, /) -> list[str]: ...


def asked_by(
    args: Arguments, *, person: str | None = None, mode: str = "auto", history: Sequence[Turn] = ()
) -> AskRequest:
    """The question of an address; empty arguments count as absent. `mode`: where it names none. Raises Malformed."""
    filters = {
        "from": args.get("from") or None,
        "to": args.get("to") or None,
        "sources": [source for source in args.getlist("source") if source],
    }
    given = {
        "person": args.get("person") or "" if person is None else person,
        "question": args.get("q") or args.get("question") or "",
        "mode": args.get("mode") or mode,
        "filters": filters,
        "history": list(history),
    }
    return parse(AskRequest, given)


def _words(place: tuple[int | str, ...], fault: str) -> str:
    field = ".".join(str(part) for part in place) or "the body"
    return f"{field[:80]}: {fault.removeprefix('Value error, ')[:200]}"


def parse_json(model: type[Given], body: bytes) -> Given:
    """Raises Malformed."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise Malformed("The body is not JSON.", hint="The shape of every request is at /docs.") from exc
    return parse(model, value)
