"""The only place where what went wrong becomes a status code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import urlencode

import structlog
from flask import Flask, Response, g, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from qandai.errors import (
    Busy,
    DatabaseFailed,
    ModelMissing,
    NotReady,
    PersonFileError,
    ProviderError,
    QandaiError,
    StoreError,
    UnknownPerson,
    UnknownVideo,
)
from qandai.web.limits import TooMany
from qandai.web.requests import Malformed
from qandai.web.schemas import ErrorDetail, ErrorResponse

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Failure:
    """`shown` is False where the message is for the operator: visitors get `title` and the log gets the rest."""

    status: int
    code: str
    title: str
    shown: bool = True
    retry_after: int | None = None


_FAILURES: tuple[tuple[type[QandaiError], Failure], ...] = (
    (Malformed, Failure(422, "malformed", "That question cannot be read.")),
    (TooMany, Failure(429, "too_many", "One question after the other.")),
    (UnknownPerson, Failure(404, "unknown_person", "Nobody by that name is here.")),
    (UnknownVideo, Failure(404, "unknown_video", "That recording is not here.")),
    (Busy, Failure(503, "busy", "Many people are asking just now.", retry_after=3)),
    (NotReady, Failure(503, "not_ready", "These recordings are still being read.", retry_after=5)),
    (ProviderError, Failure(502, "provider_failed", "A service that is needed for the answer failed.", shown=False)),
    (DatabaseFailed, Failure(503, "not_kept", "This cannot be kept just now.", False, 60)),
    (StoreError, Failure(503, "store_unusable", "These recordings cannot be searched now.", False, 30)),
    (PersonFileError, Failure(503, "person_file", "This person's page is being mended.", False, 60)),
    (ModelMissing, Failure(503, "model_missing", "These recordings cannot be searched now.", False, 60)),
)
_UNEXPECTED = Failure(500, "internal", "Something went wrong on our side.", shown=False)
_ASK_AGAIN = "Please try again in a moment; the operator finds this in the log by its request id."


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """`again`: the address to ask again after `wait` seconds, the whole page's also where a fragment was asked for."""

    status: int
    title: str
    message: str
    hint: str
    request_id: str
    wait: int | None = None
    again: str = ""


def register(app: Flask) -> None:
    app.register_error_handler(QandaiError, _known)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)


def failure_of(error: QandaiError) -> Failure:
    return next((failure for kind, failure in _FAILURES if isinstance(error, kind)), _UNEXPECTED)


def told(error: Exception) -> tuple[Failure, ErrorDetail]:
    """What a visitor is told; what only the operator may know is logged."""
    failure = failure_of(error) if isinstance(error, QandaiError) else _UNEXPECTED
    if isinstance(error, TooMany):
        failure = replace(failure, retry_after=error.wait)
    if failure.shown and isinstance(error, QandaiError):
        return failure, ErrorDetail(code=failure.code, message=error.message, hint=error.hint)
    if failure.status == 500:
        log.error("unexpected", exc_info=error)
    else:
        log.error("failed", code=failure.code, error=str(error))
    return failure, ErrorDetail(code=failure.code, message=failure.title, hint=_ASK_AGAIN)


def _known(error: QandaiError) -> Response:
    failure, detail = told(error)
    return _answer(failure, detail.message, detail.hint)


def _http(error: HTTPException) -> Response:
    status = error.code or 500
    if error.response is not None:  # a redirect, which is no failure
        return make_response(error.response)
    phrase = HTTPStatus(status).phrase
    messages = {
        404: ("Nothing is at this address.", "The first page lists everybody who can be asked."),
        405: ("This address does not take that method.", "The methods of every address are at /docs."),
        413: ("The request is larger than 64 KB.", "A question has at most 500 characters."),
    }
    message, hint = messages.get(status, (f"{phrase}.", ""))
    response = _answer(Failure(status, phrase.lower().replace(" ", "_"), phrase), message, hint)
    for name, value in error.get_headers():
        if name.lower() in ("allow", "content-range", "retry-after"):
            response.headers[name] = value
    return response


def _unexpected(error: Exception) -> Response:
    failure, detail = told(error)
    return _answer(failure, detail.message, detail.hint)


def wants_json() -> bool:
    return request.path.startswith("/api/") or request.path in ("/health", "/ready", "/openapi.json")


def _again() -> str:
    kept = [(name, value) for name, value in request.args.items(multi=True) if name != "fragment"]
    return f"{request.path}?{urlencode(kept)}" if kept else request.path


def _answer(failure: Failure, message: str, hint: str) -> Response:
    request_id = str(g.get("request_id", ""))
    if wants_json():
        detail = ErrorDetail(code=failure.code, message=message, hint=hint)
        response = jsonify(ErrorResponse(error=detail, request_id=request_id).model_dump(mode="json"))
    else:
        advice = "" if "qandai " in hint else hint  # commands are for the operator, whom the log tells
        wait = failure.retry_after if failure.code == "too_many" else None
        page = ErrorPage(failure.status, failure.title, message, advice, request_id, wait, _again())
        template = "_error.html" if request.args.get("fragment") else "error.html"
        response = make_response(render_template(template, page=page))
    response.status_code = failure.status
    if failure.retry_after is not None:
        response.headers["Retry-After"] = str(failure.retry_after)
    return response
