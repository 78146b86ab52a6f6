"""What was found, in the shapes of the HTTP interface. Knows nothing of Flask: the command line prints the same."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from qandai import links, model
from qandai.answer import Answer, Making, NoAnswer
from qandai.answering.refusals import not_covered
from qandai.model import Excerpt, Span
from qandai.ports import ShelfState
from qandai.web import schemas
from qandai.web.desk import Profile, Reply
from qandai.web.essays import meta_of, text_of
from qandai.web.excuses import degraded
from qandai.web.recordings import Recording


def ask_response(reply: Reply, request_id: str) -> schemas.AskResponse:
    """The one sentence of a refusal is in the language of the recordings. `answer` of a clip is its quote."""
    slug, result = reply.person.slug, reply.result
    clip, others, excerpts = _parts(result)
    making = Making(mode="sources") if isinstance(result, tuple) else result.making
    essay = result.essay if isinstance(result, Answer) else None
    found = clip is not None or bool(excerpts)
    said = clip.quote.text if clip else "" if excerpts else not_covered(reply.person.language)
    return schemas.AskResponse(
        person=slug,
        question=reply.question.text,
        understood_as=making.understood_as,
        mode=making.mode,
        answered=found,
        refused=not found,
        degraded=degraded(making),
        answer=text_of(essay) if essay else said,
        clip=clip_of(slug, clip) if clip else None,
        alternatives=[clip_of(slug, other) for other in others],
        sources=[source_of(slug, excerpt) for excerpt in (essay.cited if essay else excerpts)],
        meta=meta_of(essay.summary) if essay and essay.summary else None,
        coverage=coverage_of(reply.coverage),
        model=making.model,
        cached=False,
        request_id=request_id,
        timings_ms=_timings(reply.timings_ms, reply.total_ms),
    )


def search_response(reply: Reply, request_id: str) -> schemas.SearchResponse:
    _, _, excerpts = _parts(reply.result)
    return schemas.SearchResponse(
        person=reply.person.slug,
        question=reply.question.text,
        sources=[source_of(reply.person.slug, excerpt) for excerpt in excerpts],
        coverage=coverage_of(reply.coverage),
        request_id=request_id,
        timings_ms=_timings(reply.timings_ms, reply.total_ms),
    )


def _parts(
    result: Answer | NoAnswer | tuple[Excerpt, ...],
) -> tuple[model.Clip | None, tuple[model.Clip, ...], tuple[Excerpt, ...]]:
    if isinstance(result, Answer):
        return result.clip, result.alternatives, result.excerpts
    if isinstance(result, NoAnswer):
        return None, result.near, ()
    return None, (), result


def clip_of(slug: str, clip: model.Clip) -> schemas.Clip:
    video = clip.video
    return schemas.Clip(
        video_id=video.id,
        title=video.title,
        published=video.published,
        media=media_of(slug, video),
        start=round(max(0.0, clip.start), 2),
        end=round(clip.end, 2),
        timestamp=links.timestamp(clip.start),
        quote=clip.quote.text,
        match=clip.quote.match,
        exact=clip.exact,
        url=links.watch_url(slug, video, clip.start, clip.end),
    )


def media_of(slug: str, video: model.Video) -> schemas.YoutubeMedia | schemas.AudioMedia | None:
    if youtube := links.youtube_of(video):
        return schemas.YoutubeMedia(id=youtube)
    if url := links.media_url(slug, video):
        return schemas.AudioMedia(url=url)
    return None


def source_of(slug: str, excerpt: Excerpt) -> schemas.Source:
    passage = excerpt.passage
    return schemas.Source(
        n=excerpt.number,
        passage_id=passage.id,
        video_id=passage.video.id,
        title=passage.video.title,
        published=passage.video.published,
        start=round(passage.start, 2),
        end=round(passage.end, 2),
        timestamp=links.timestamp(passage.start),
        text=passage.text,
        score=round(excerpt.hit.score, 4),
        url=links.watch_url(slug, passage.video, passage.start, passage.end),
    )


def coverage_of(coverage: model.Coverage) -> schemas.Coverage:
    return schemas.Coverage.model_validate(
        {
            "videos": coverage.videos,
            "hours": round(coverage.hours, 2),
            "from": coverage.since,
            "to": coverage.until,
            "indexed_at": coverage.indexed_at,
        }
    )


def _timings(steps: Mapping[str, float], total: float) -> schemas.Timings:
    known = {name: round(steps[name], 1) for name in schemas.Timings.model_fields if name in steps}
    return schemas.Timings(**(known | {"total": round(total, 1)}))


def person_of(profile: Profile) -> schemas.Person:
    person = profile.person
    return schemas.Person(
        slug=person.slug,
        name=person.name,
        language=person.language,
        tagline=person.tagline,
        portrait=f"/portraits/{quote(person.slug)}" if person.portrait else None,
        synthetic_voice=person.synthetic_voice,
        suggested_questions=list(person.suggested_questions),
        state=profile.state.state,
        coverage=coverage_of(profile.coverage) if profile.coverage else None,
        url=links.person_path(person.slug),
    )


def person_detail(profile: Profile) -> schemas.PersonDetail:
    return schemas.PersonDetail(
        **person_of(profile).model_dump(by_alias=False),
        videos=[video_of(profile.person.slug, video) for video in profile.videos],
    )


def video_of(slug: str, video: model.Video) -> schemas.Video:
    return schemas.Video(
        id=video.id,
        title=video.title,
        source=video.source,
        published=video.published,
        duration=video.duration,
        channel=video.channel,
        language=video.language,
        media=media_of(slug, video),
        url=links.transcript_path(slug, video.id),
    )


def transcript_response(slug: str, recording: Recording) -> schemas.TranscriptResponse:
    return schemas.TranscriptResponse(
        person=slug,
        video=video_of(slug, recording.video),
        segments=[_segment(paragraph) for paragraph in recording.paragraphs],
    )


def _segment(paragraph: Span) -> schemas.Segment:
    words = paragraph.words
    return schemas.Segment(
        start=round(paragraph.start, 3),
        end=round(paragraph.end, 3),
        text=paragraph.text,
        speaker=words[0].speaker,
        words=[
            schemas.WordTime(
                word=word.text,
                start=round(word.start, 3),
                end=round(word.end, 3),
                estimated=None if word.exact else True,
            )
            for word in words
        ],
    )


def ready_response(states: Mapping[str, ShelfState]) -> schemas.ReadyResponse:
    """Ready: nobody is being indexed and at least one person can be asked."""
    kinds = [state.state for state in states.values()]
    return schemas.ReadyResponse(
        ready="indexing" not in kinds and "ready" in kinds,
        persons={
            slug: schemas.PersonState(state=state.state, reason=state.reason, passages=state.passages)
            for slug, state in states.items()
        },
    )
