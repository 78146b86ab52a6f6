"""What each page shows: one frozen object a page, filled here, so that templates only lay out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qandai import links, model
from qandai.model import Span, Word
from qandai.web import answers, schemas
from qandai.web.desk import Profile
from qandai.web.phrases import coverage_words, plain_date
from qandai.web.recordings import Recording, heard
from qandai.web.ruler import Ruler, ruler


@dataclass(frozen=True, slots=True)
class Words:
    """Words to be lit as they are spoken. `times`: milliseconds, start and end of each word, in order."""

    words: tuple[Word, ...]
    times: str


@dataclass(frozen=True, slots=True)
class Playable:
    """What the player needs. `kind` is empty where there are words but nothing to play."""

    kind: Literal["audio", "youtube", ""]
    src: str
    video: str
    start: float
    end: float
    bounded: bool
    ruler: Ruler
    timestamp: str
    fragment: str
    watch: str


@dataclass(frozen=True, slots=True)
class ClipView:
    clip: schemas.Clip
    player: Playable
    quote: Words
    share: str
    transcript: str
    date: str
    rank: int


@dataclass(frozen=True, slots=True)
class MomentView:
    """`rank` counts from 0, the best; a clip that only the address holds has -1."""

    rank: int
    href: str
    title: str
    date: str
    timestamp: str
    text: str


@dataclass(frozen=True, slots=True)
class PersonView:
    person: schemas.Person
    coverage: tuple[str, ...]
    initial: str


@dataclass(frozen=True, slots=True)
class PeoplePage:
    people: tuple[PersonView, ...]


@dataclass(frozen=True, slots=True)
class VideoView:
    href: str
    title: str
    date: str
    length: str


@dataclass(frozen=True, slots=True)
class PersonPage:
    who: PersonView
    videos: tuple[VideoView, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`parts` are (inside the moment, words); `opens` marks the first paragraph of the moment."""

    start: float
    timestamp: str
    href: str
    speaker: str | None
    times: str
    parts: tuple[tuple[bool, tuple[Word, ...]], ...]
    opens: bool


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    who: PersonView
    video: schemas.Video
    date: str
    player: Playable
    paragraphs: tuple[Paragraph, ...]
    estimated: bool


def person_view(profile: Profile) -> PersonView:
    return PersonView(
        person=answers.person_of(profile),
        coverage=coverage_words(profile.coverage) if profile.coverage else (),
        initial=profile.person.name[:1].upper(),
    )


def person_page(profile: Profile) -> PersonPage:
    slug = profile.person.slug
    videos = tuple(
        VideoView(
            href=links.transcript_path(slug, video.id),
            title=video.title,
            date=plain_date(video.published),
            length=links.timestamp(video.duration) if video.duration else "",
        )
        for video in profile.videos
    )
    return PersonPage(person_view(profile), videos)


def clip_view(slug: str, clip: model.Clip, question: str, rank: int) -> ClipView:
    shown = answers.clip_of(slug, clip)
    words = clip.quote.span.words
    return ClipView(
        clip=shown,
        player=playable(slug, clip.video, ruler(words, shown.start, shown.end), shown.start, shown.end, bounded=True),
        quote=Words(words, times(words)),
        share=links.moment_path(slug, clip.video.id, shown.start, shown.end, question or None),
        transcript=links.transcript_path(slug, clip.video.id, shown.start, shown.end),
        date=plain_date(clip.video.published),
        rank=rank,
    )


def moment_view(slug: str, clip: model.Clip, question: str, rank: int) -> MomentView:
    return _moment(slug, clip.quote.span, clip.start, clip.end, question, rank)


def passage_view(slug: str, passage: Span, question: str, rank: int, *, lead: float) -> MomentView:
    """A passage has no lead yet, and a link has it taken off."""
    return _moment(slug, passage, max(0.0, passage.start - lead), passage.end, question, rank)


def _moment(slug: str, span: Span, start: float, end: float, question: str, rank: int) -> MomentView:
    return MomentView(
        rank=rank,
        href=links.moment_path(slug, span.video.id, start, end, question or None),
        title=span.video.title,
        date=plain_date(span.video.published),
        timestamp=links.timestamp(start),
        text=span.text,
    )


def transcript_page(
    profile: Profile, recording: Recording, moment: tuple[float, float] | None, *, lead: float
) -> TranscriptPage:
    slug, video = profile.person.slug, recording.video
    start, end = moment or (0.0, recording.end)
    drawn = ruler(recording.words, 0.0, recording.end, moment)
    paragraphs: list[Paragraph] = []
    opened = False
    for span in recording.paragraphs:
        inside = heard(span.words, *moment, lead=lead) if moment else range(0)
        opens = bool(inside) and not opened
        opened = opened or opens
        paragraphs.append(_paragraph(slug, span, inside, opens=opens))
    return TranscriptPage(
        who=person_view(profile),
        video=answers.video_of(slug, video),
        date=plain_date(video.published),
        player=playable(slug, video, drawn, start, end, bounded=moment is not None),
        paragraphs=tuple(paragraphs),
        estimated=not all(word.exact for word in recording.words),
    )


def _paragraph(slug: str, span: Span, inside: range, *, opens: bool) -> Paragraph:
    words = span.words
    parts = [
        (False, words[: inside.start]),
        (True, words[inside.start : inside.stop]),
        (False, words[inside.stop :]),
    ]
    return Paragraph(
        start=round(span.start, 2),
        timestamp=links.timestamp(span.start),
        href=links.transcript_path(slug, span.video.id, span.start, span.end),
        speaker=words[0].speaker,
        times=times(words),
        parts=tuple((lit, part) for lit, part in parts if part),
        opens=opens,
    )


def playable(slug: str, video: model.Video, drawn: Ruler, start: float, end: float, *, bounded: bool) -> Playable:
    """`bounded`: playing stops at the end, until the visitor wants to hear more."""
    media = answers.media_of(slug, video)
    src = media.url.partition("#")[0] if isinstance(media, schemas.AudioMedia) else ""
    return Playable(
        kind=media.kind if media else "",
        src=src,
        video=media.id if isinstance(media, schemas.YoutubeMedia) else "",
        start=round(start, 2),
        end=round(end, 2),
        bounded=bounded,
        ruler=drawn,
        timestamp=links.timestamp(start),
        fragment=f"#t={links.seconds(start)},{links.seconds(end)}" if bounded else "",
        watch=links.watch_url(slug, video, start, end),
    )


def times(words: Sequence[Word]) -> str:
    return " ".join(f"{round(word.start * 1000)} {round(word.end * 1000)}" for word in words)
