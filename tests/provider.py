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
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.provider_replies import Reply, Request, Wire, cut, drip, fails, hang, malformed, reply, sse

__all__ = [
    "Provider",
    "Reply",
    "Request",
    "Script",
    "Wire",
    "cut",
    "drip",
    "fails",
    "hang",
    "malformed",
    "reply",
    "sse",
]

Script = Reply | Sequence[Reply] | Callable[[Request], Reply]


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
