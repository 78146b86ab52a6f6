"""The embeddings client against a real server on this machine that misbehaves in each way."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from qandai.adapters.openai_embeddings import ATTEMPTS, BATCH, OpenAiEmbedder
from qandai.errors import ProviderError

KEY = "sk-very-secret-0123456789"
Reply = tuple[int, Mapping[str, str], bytes]


def vectors(count: int, *, length: int = 3) -> Reply:
    rows = [{"index": at, "embedding": [float(at + 1)] * length} for at in range(count)]
    return 200, {}, json.dumps({"data": rows}).encode()


@contextmanager
def serving(answer: Callable[[int, dict[str, object]], Reply]) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """`answer` is given the number of the request, from 1, and its body."""
    seen: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(body | {"authorization": self.headers["Authorization"], "path": self.path})
            status, headers, content = answer(len(seen), body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/v1/", seen
        http.shutdown()


def asking(url: str, slept: list[float] | None = None) -> OpenAiEmbedder:
    return OpenAiEmbedder("small", base_url=url, key=KEY, sleep=(slept if slept is not None else []).append, timeout=5)


def test_many_texts_go_in_several_requests_and_come_back_in_order() -> None:
    with serving(lambda _, body: vectors(len(body["input"]))) as (url, seen):  # type: ignore[arg-type]
        found = asking(url).passages([f"text {at}" for at in range(2 * BATCH + 5)])
    assert found.shape == (2 * BATCH + 5, 3)
    assert [len(body["input"]) for body in seen] == [BATCH, BATCH, 5]  # type: ignore[arg-type]
    assert seen[0]["path"] == "/v1/embeddings"
    assert seen[0]["authorization"] == f"Bearer {KEY}"


def test_retry_after_is_honoured() -> None:
    slept: list[float] = []
    with serving(lambda n, _: (429, {"Retry-After": "7"}, b"{}") if n < 3 else vectors(1)) as (url, _):
        asking(url, slept).query("so")
    assert slept == [7, 7]


def test_a_server_that_fails_for_a_moment_is_asked_again() -> None:
    slept: list[float] = []
    with serving(lambda n, _: (503, {}, b"busy") if n < 3 else vectors(1)) as (url, _):
        asking(url, slept).query("so")
    assert slept == [0.5, 2.0]


@pytest.mark.parametrize(
    ("reply", "says", "requests"),
    [
        ((500, {}, b"boom"), "answered 500: boom", ATTEMPTS),
        ((429, {"Retry-After": "3600"}, b""), "Try again in 3600 s", 1),
        ((429, {"Retry-After": "Wed, 21 Oct 2099 07:28:00 GMT"}, b""), "patience", ATTEMPTS),
        ((401, {}, f"Incorrect API key provided: {KEY}".encode()), "OPENAI_API_KEY", 1),
        ((404, {}, b"no such model"), "knows no model 'small'", 1),
        ((400, {}, f"bad request with {KEY}".encode()), "answered 400: bad request with …", 1),
        ((200, {}, b"<html>"), "something else", 1),
        ((200, {}, b'{"data":[]}'), "0 vectors for 1 texts", 1),
        ((200, {}, b'{"data":[{"index":0,"embedding":[0,0]}]}'), "not a direction", 1),
        ((200, {}, b'{"data":[{"index":0,"embedding":["NaN"]}]}'), "", 1),
        ((200, {}, b'{"data":[{"index":3,"embedding":[1]}]}'), "1 vectors for 1 texts", 1),
    ],
)
def test_failures_are_named_and_never_tell_the_key(reply: Reply, says: str, requests: int) -> None:
    with serving(lambda *_: reply) as (url, seen):
        embedder = asking(url)
        with pytest.raises(ProviderError) as caught:
            embedder.query("so")
    assert says in str(caught.value)
    assert len(seen) == requests
    assert KEY not in str(caught.value) + repr(caught.value) + repr(embedder) + repr(caught.value.__cause__)


def test_a_server_that_is_not_there_is_named() -> None:
    with serving(lambda *_: vectors(1)) as (url, _):
        pass
    with pytest.raises(ProviderError, match="cannot be reached"):
        asking(url).query("so")


def test_another_server_is_another_model() -> None:
    there = OpenAiEmbedder("small", base_url="http://user:pw@box:11434/v1").model
    assert there == "openai-small@box:11434"
    assert OpenAiEmbedder("small").model == "openai-small"
