"""An answer as server-sent events: each part as soon as it is there, and what went wrong as the last."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Response
from pydantic import BaseModel

from qandai.answer import Answer, Done, Event, Found, Heard, NoAnswer, Resolved, Summed, Wrote
from qandai.web import answers, errors, schemas
from qandai.web.desk import Following
from qandai.web.essays import meta_of, sentence

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_NOTHING_NEW = ": \n\n"
_ONCE = "retry: 86400000\n\n"
"""An EventSource that is not closed asks again when all is said; not before tomorrow."""


def sent(following: Following, request_id: str) -> Response:
    """Closes the following when the visitor is gone or all is said."""
    response = Response(_lines(following, request_id), mimetype="text/event-stream", headers=HEADERS)
    response.call_on_close(following.close)  # also where the first line was never asked for
    return response


def _lines(following: Following, request_id: str) -> Iterator[str]:
    yield _ONCE  # the headers go out with it
    try:
        for event in following:
            yield _NOTHING_NEW if event is None else _line(*_told(event, following, request_id))
            if isinstance(event, Found) and following.question.mode == "sources":
                whole = answers.ask_response(following.reply(event.excerpts), request_id)
                yield _line("done", whole)
    except Exception as error:  # noqa: BLE001  # the status is sent already
        _, detail = errors.told(error)
        yield _line("error", schemas.ErrorResponse(error=detail, request_id=request_id))
    finally:
        following.close()


def _line(name: str, data: BaseModel) -> str:
    return f"event: {name}\ndata: {data.model_dump_json()}\n\n"


def _told(event: Event, following: Following, request_id: str) -> tuple[str, BaseModel]:
    slug = following.person.slug
    if isinstance(event, Resolved):
        return "mode", schemas.ModeEvent(mode=event.making.mode, understood_as=event.making.understood_as)
    if isinstance(event, Found):
        return "sources", schemas.SourcesEvent(sources=[answers.source_of(slug, found) for found in event.excerpts])
    if isinstance(event, Heard):
        return "clip", _clip(slug, event.result)
    if isinstance(event, Wrote):
        return "text", schemas.TextEvent(text=sentence(event.statement), paragraph=event.statement.paragraph)
    if isinstance(event, Summed):
        return "meta", meta_of(event.summary)
    assert isinstance(event, Done)
    return "done", answers.ask_response(following.reply(event.result), request_id)


def _clip(slug: str, result: Answer | NoAnswer) -> schemas.ClipEvent:
    clip = result.clip if isinstance(result, Answer) else None
    others = result.alternatives if isinstance(result, Answer) else result.near
    return schemas.ClipEvent(
        clip=answers.clip_of(slug, clip) if clip else None,
        alternatives=[answers.clip_of(slug, other) for other in others],
        answered=clip is not None,
        refused=clip is None,
    )
