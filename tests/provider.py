"""A chat service on a real socket, which says and does what a test's script tells it: also the worst.

    with Provider(reply("2: I sold it")) as provider:
        Settings(llm="groq", groq_api_key="k", groq_base_url=provider.base_url)

A script is one `Reply` for all requests, a sequence of them (the last is repeated), or a function of the `Request`.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Ending = Literal["whole", "cut", "hang"]
"""cut: the connection is closed in the middle of the body. hang: nothing more comes, and nothing is closed."""


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Mapping[str, Any]
    raw: bytes = b""

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def system(self) -> str:
        return self._said("system")

    @property
    def user(self) -> str:
        return self._said("user")

    @property
    def streams(self) -> bool:
        return self.body.get("stream") is True

    @property
    def form(self) -> str | None:
        """The name of the schema that is asked for, or the kind of response format; None where none is."""
        asked = self.body.get("response_format")
        return asked.get("json_schema", {}).get("name") or asked["type"] if asked else None

    @property
    def longest(self) -> int:
        return int(self.body.get("max_completion_tokens") or self.body.get("max_tokens") or 0)

    def _said(self, role: str) -> str:
        return "\n".join(str(said["content"]) for said in self.body.get("messages", ()) if said.get("role") == role)


@dataclass(frozen=True, slots=True)
class Wire:
    """What goes out. `pieces` of the body, `gap` seconds between two; `delay` seconds before the first byte."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Sequence[bytes] = ()
    gap: float = 0.0
    delay: float = 0.0
    ending: Ending = "whole"
    silent: bool = False  # not even a status


@dataclass(frozen=True, slots=True)
class Reply:
    to: Callable[[Request], Wire]

    def after(self, seconds: float) -> Reply:
        return Reply(lambda request: replace(self.to(request), delay=seconds))


Script = Reply | Sequence[Reply] | Callable[[Request], Reply]


def reply(
    text: str,
    *,
    reasoning: str | None = None,
    finish: str = "stop",
    usage: tuple[int, int] = (100, 10),
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """A reply as it should be: a whole one, or word by word where the request streams."""

    def to(request: Request) -> Wire:
        if request.streams:
            return sse(list(_words(text)), reasoning=reasoning, finish=finish).to(request)
        message: dict[str, object] = {"role": "assistant", "content": text}
        if reasoning is not None:
            message["reasoning"] = reasoning
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": request.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
        }
        return _json(body, headers=headers or {})

    return Reply(to)


def fails(
    status: int,
    message: str = "No.",
    *,
    code: str | None = None,
    type: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> Reply:
    """An error as these services send them. `more` goes beside the message, such as failed_generation."""
    known = {"message": message, "type": type, "code": code, "param": param, **more}
    body = {"error": {name: value for name, value in known.items() if value is not None}}
    return Reply(lambda request: _json(body, status=status, headers=headers or {}))


def malformed(body: object, *, status: int = 200, kind: str = "application/json") -> Reply:
    """A body of one's own: bytes or text as it is, anything else as JSON."""
    raw = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Reply(lambda request: Wire(status, {"Content-Type": kind}, (raw,)))


def drip(text: str, seconds: float) -> Reply:
    """A good reply, so many seconds for each byte."""

    def to(request: Request) -> Wire:
        whole = reply(text).to(request)
        return replace(whole, pieces=[bytes([byte]) for piece in whole.pieces for byte in piece], gap=seconds)

    return Reply(to)


def hang() -> Reply:
    """Takes the request and says nothing."""
    return Reply(lambda request: Wire(ending="hang", silent=True))


def cut(text: str = "") -> Reply:
    """Closes the connection in the middle of a good reply; without a text, before any."""

    def to(request: Request) -> Wire:
        if not text:
            return Wire(ending="cut", silent=True)
        whole = reply(text).to(request)
        if request.streams:
            return replace(whole, pieces=whole.pieces[: len(whole.pieces) // 2], ending="cut")
        body = b"".join(whole.pieces)
        return replace(whole, pieces=(body[: len(body) // 2],), ending="cut")

    return Reply(to)


def sse(
    pieces: Sequence[str | Mapping[str, object]],
    *,
    reasoning: str | None = None,
    finish: str | None = "stop",
    gap: float = 0.0,
    ending: Ending = "whole",
    done: bool = True,
) -> Reply:
    """A stream: a text is a piece of the reply, a mapping an event of its own (`{"error": …}`)."""
    told: list[Mapping[str, object]] = []
    if reasoning is not None:
        told.append(_delta({"reasoning": reasoning}))
    told += [_delta({"content": piece}) if isinstance(piece, str) else piece for piece in pieces]
    if ending == "whole" and finish is not None:
        told.append(_delta({}, finish))
    lines = [f"data: {json.dumps(one)}\n\n".encode() for one in told]
    if ending == "whole" and done:
        lines.append(b"data: [DONE]\n\n")
    return Reply(lambda request: Wire(200, {"Content-Type": "text/event-stream"}, lines, gap, ending=ending))


class Provider:
    """Serves while it is entered. `requests` are all that came, in order; `abandoned` counts those whose client went
    away before the end. `delay`: seconds before every reply that has no delay of its own."""

    def __init__(self, script: Script, *, delay: float = 0.0) -> None:
        self.requests: list[Request] = []
        self.abandoned = 0
        self.script = script
        self._delay = delay
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._connections: set[socket.socket] = set()
        self._server = _Server(("127.0.0.1", 0), _handler(self))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/openai/v1"

    def __enter__(self) -> Provider:
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._thread.join()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()

    def wait_abandoned(self, count: int = 1, seconds: float = 2.0) -> bool:
        until = time.monotonic() + seconds
        while self.abandoned < count and time.monotonic() < until:
            time.sleep(0.005)
        return self.abandoned >= count

    def answer(self, request: Request) -> Wire:
        with self._lock:
            self.requests.append(request)
            place = len(self.requests) - 1
        script = self.script
        if isinstance(script, Reply):
            chosen = script
        elif callable(script):
            chosen = script(request)
        else:
            chosen = script[min(place, len(script) - 1)]
        wire = chosen.to(request)
        return replace(wire, delay=wire.delay or self._delay)

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)

    def left(self) -> None:
        with self._lock:
            self.abandoned += 1

    def pause(self, connection: socket.socket, seconds: float | None) -> bool:
        """Whether the client is still there after so many seconds; None: until it goes or the provider ends."""
        until = None if seconds is None else time.monotonic() + seconds
        while not self._stopped.is_set():
            left = 0.05 if until is None else min(0.05, until - time.monotonic())
            if left <= 0:
                return True
            if select.select([connection], [], [], left)[0] and not connection.recv(1, socket.MSG_PEEK):
                return False
        return False


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True  # so that no thread outlives a test
    request_queue_size = 200

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error here."""


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            provider.opened(self.connection)

        def finish(self) -> None:
            provider.closed(self.connection)
            with suppress(OSError):
                super().finish()

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, json.loads(raw or b"{}"), raw)
            wire = provider.answer(request)
            try:
                whole = provider.pause(self.connection, wire.delay) and self._send(wire)
            except OSError:
                whole = False
            if not whole:
                self.close_connection = True
                if wire.ending != "cut":
                    provider.left()

        def _send(self, wire: Wire) -> bool:
            if not wire.silent:
                self._begin(wire)
                for place, piece in enumerate(wire.pieces):
                    if place and wire.gap and not provider.pause(self.connection, wire.gap):
                        return False
                    if piece:  # an empty chunk would be the end
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if wire.ending == "hang":
                return provider.pause(self.connection, None)
            if wire.ending == "cut":
                return False
            self.wfile.write(b"0\r\n\r\n")
            return True

        def _begin(self, wire: Wire) -> None:
            self.send_response(wire.status)
            for name, value in {"Transfer-Encoding": "chunked", **wire.headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    return Handler


def _json(body: object, *, status: int = 200, headers: Mapping[str, str]) -> Wire:
    return Wire(status, {"Content-Type": "application/json", **headers}, (json.dumps(body).encode(),))


def _delta(delta: Mapping[str, object], finish: str | None = None) -> Mapping[str, object]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _words(text: str) -> Iterator[str]:
    """The text in pieces, as models write: each word with the space before it."""
    words = text.split(" ")
    return (word if place == 0 else f" {word}" for place, word in enumerate(words))
