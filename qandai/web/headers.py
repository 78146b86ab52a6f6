"""What every request and response carries: an id, a log line, and the headers that keep the page safe."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from time import perf_counter
from urllib.parse import urlsplit

import structlog
from flask import Flask, Response, g, request

from qandai.site import Youtube

log = structlog.get_logger(__name__)

_DULL = ("/static/", "/health", "/ready")  # told only when they fail
_REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,64}\Z")


def new_request_id() -> str:
    return uuid.uuid4().hex


def register(app: Flask, youtube: Youtube, *, request_ids: Callable[[], str] = new_request_id) -> None:
    fixed = security_headers(youtube)

    @app.before_request
    def _identify() -> None:
        given = request.headers.get("X-Request-ID", "")
        g.request_id = given if _REQUEST_ID.match(given) else request_ids()
        g.began = perf_counter()
        # waitress reuses its threads, so what the last request bound must go first.
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=g.request_id)

    @app.after_request
    def _send(response: Response) -> Response:
        for name, value in fixed.items():
            response.headers.setdefault(name, value)
        if request.is_secure:
            response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        response.headers.setdefault("Cache-Control", "no-cache")
        if "request_id" in g:
            response.headers["X-Request-ID"] = g.request_id
            took = round((perf_counter() - g.began) * 1000, 1)
            dull = response.status_code < 400 and request.path.startswith(_DULL)
            tell = log.debug if dull else log.info
            tell("request", method=request.method, path=request.path, status=response.status_code, ms=took)
        return response


def security_headers(youtube: Youtube) -> dict[str, str]:
    """The player needs a referrer: `no-referrer` and `same-origin` make every YouTube embed show error 153."""
    loader, host = _origin(youtube.loader), _origin(youtube.host)
    scripts = " ".join(dict.fromkeys(["'self'", "https://www.youtube.com", loader]))
    frames = " ".join(dict.fromkeys(["https://www.youtube.com", "https://www.youtube-nocookie.com", host]))
    policy = {
        "default-src": "'self'",
        "script-src": scripts,
        "style-src": "'self'",
        "img-src": "'self' https://i.ytimg.com data:",
        "media-src": "'self' https: http:",  # a feed's recordings stay where they are
        "frame-src": frames,
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    players = "(self " + " ".join(f'"{origin}"' for origin in frames.split()) + ")"
    allowed = ("autoplay", "fullscreen", "encrypted-media", "picture-in-picture")
    refused = ("camera", "microphone", "geolocation", "payment", "usb")
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "X-Content-Type-Options": "nosniff",
        "Permissions-Policy": ", ".join([*(f"{name}={players}" for name in allowed), *(f"{n}=()" for n in refused)]),
    }


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "'self'"
