from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event as Flag
from typing import Any

import pytest

from qandai.answer import Essay, Event, Making
from qandai.chat import Trouble
from qandai.errors import ProviderError, StoreError
from tests.fakes import MemoryShelves, ScriptedAsker
from tests.web.conftest import Bench
from tests.web.telling import essay, events, open_to_all, shelves
from tests.web.test_openapi import validator

PATH = "/api/ask/stream?person=ann&q=How+do+bees+dance%3F&mode=synthesis"
SHAPES = {
    "mode": "ModeEvent",
    "sources": "SourcesEvent",
    "clip": "ClipEvent",
    "text": "TextEvent",
    "meta": "Meta",
    "done": "AskResponse",
    "error": "ErrorResponse",
}


def told(text: str) -> list[tuple[str, Any]]:
    """Events by name, each in the shape that is described."""
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("event: ")]
    read = [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]
    for name, data in read:
        validator(SHAPES[name]).validate(data)
    return read


def until(claim: Callable[[], bool], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_each_part_is_an_event_and_the_last_is_the_whole(bench: Callable[..., Bench]) -> None:
    asker = ScriptedAsker(shelves(), *events())
    client = bench(asker=asker).client
    response = client.get(PATH)
    assert response.headers["Content-Type"].startswith("text/event-stream")
    assert response.headers["X-Accel-Buffering"] == "no"
    assert response.headers["Cache-Control"] == "no-store"
    parts = told(response.get_data(as_text=True))
    assert [name for name, _ in parts] == ["mode", "sources", "clip", "text", "text", "meta", "done"]
    data = dict(parts)
    assert data["mode"] == {"mode": "synthesis", "understood_as": "How do bees dance?"}
    assert [source["n"] for source in data["sources"]["sources"]] == [1, 2, 3]
    assert data["clip"]["clip"]["start"] == 9.7
    assert data["clip"]["answered"]
    assert parts[3][1] == {
        "text": "Bees dance a figure of eight [1] and it looks slow on film [3].",
        "paragraph": False,
    }
    assert data["text"] == {"text": "Honey <b>keeps</b>. [2]", "paragraph": True}
    assert data["meta"]["scale"] == "2 of 3 recordings"
    posted = client.post("/api/ask", json={"person": "ann", "question": "How do bees dance?", "mode": "synthesis"})
    whole = posted.get_json()
    for body in (whole, data["done"]):
        body.pop("timings_ms")
    assert data["done"] == whole
    assert whole["answer"].count("\n\n") == 1
    assert whole["model"] == "a-model"
    assert asker.closed == 2


def test_a_clip_a_refusal_and_sources_are_streams_too(bench: Callable[..., Bench]) -> None:
    client = bench().client
    for question, mode, names in (
        ("How do bees dance?", "auto", ["mode", "sources", "clip", "done"]),
        ("Who won the flowers prize", "clip", ["mode", "clip", "done"]),
        ("bees", "sources", ["mode", "sources", "done"]),
    ):
        given = {"person": "ann", "question": question, "mode": mode}
        parts = told(client.post("/api/ask/stream", json=given).get_data(as_text=True))
        assert [name for name, _ in parts] == names
        assert parts[-1][1]["refused"] is ("prize" in question)


def test_what_fails_before_anything_is_told_has_its_own_status(bench: Callable[..., Bench]) -> None:
    client = bench().client
    assert client.get("/api/ask/stream?person=bob&q=bees").status_code == 404
    assert client.get("/api/ask/stream?person=ann").status_code == 422
    assert client.post("/api/ask/stream", json={"person": "ann"}).status_code == 422
    assert bench(shelves=MemoryShelves({})).client.get(PATH).status_code == 503


@pytest.mark.parametrize(
    ("error", "code", "hidden"),
    [
        (ProviderError("secret words"), "provider_failed", True),
        (StoreError("secret words"), "store_unusable", True),
        (ZeroDivisionError("secret words"), "internal", True),
    ],
)
def test_what_fails_midway_is_the_last_event(
    bench: Callable[..., Bench], error: Exception, code: str, hidden: bool
) -> None:
    asker = ScriptedAsker(shelves(), *events()[:4], error)
    text = bench(asker=asker).client.get(PATH).get_data(as_text=True)
    parts = told(text)
    assert [name for name, _ in parts] == ["mode", "sources", "clip", "text", "error"]
    assert parts[-1][1]["error"]["code"] == code
    assert ("secret" not in text) is hidden
    assert asker.closed == 1


def test_what_was_asked_before_reaches_the_asker(bench: Callable[..., Bench]) -> None:
    made = bench()
    history = [{"question": "Why do bees dance?", "video_id": "talk1"}, {"question": "And honey?"}]
    given = {"person": "ann", "question": "What about the other one?", "history": history}
    assert made.client.post("/api/ask/stream", json=given).status_code == 200
    assert [(turn.question, turn.video_id) for turn in made.asker.asked[0].history] == [
        ("Why do bees dance?", "talk1"),
        ("And honey?", None),
    ]
    given["history"] = [*history, *history, *history]
    assert made.client.post("/api/ask/stream", json=given).status_code == 422


def test_a_stream_that_nobody_reads_gives_back_all_it_held(bench: Callable[..., Bench]) -> None:
    lent = shelves()
    asker = ScriptedAsker(lent, *events())
    made = bench(asker=asker, shelves=lent)
    for _ in range(100):  # many more than there are places
        made.client.get(PATH).close()
    until(lambda: asker.closed == 100)
    until(lambda: lent.borrowed == 0)


def ask(port: int, path: str = PATH) -> socket.socket:
    visitor = socket.create_connection(("127.0.0.1", port), timeout=10)
    visitor.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return visitor


def read_until(visitor: socket.socket, wanted: bytes) -> bytes:
    got = b""
    while wanted not in got:
        piece = visitor.recv(65536)
        assert piece, got
        got += piece
    return got


def test_a_real_server_sends_each_part_at_once(bench: Callable[..., Bench]) -> None:
    gates = [Flag() for _ in range(3)]
    resolved, found, heard, first, second, summed, done = events()
    asker = ScriptedAsker(
        shelves(), resolved, found, gates[0].wait, heard, gates[1].wait, first, gates[2].wait, second, summed, done
    )
    with open_to_all(bench(asker=asker).client.application) as port, ask(port) as visitor:
        assert b"event: clip" not in read_until(visitor, b"event: sources")
        gates[0].set()
        assert b"event: text" not in read_until(visitor, b"event: clip")
        gates[1].set()
        assert b"event: meta" not in read_until(visitor, b"event: text")
        gates[2].set()
        read_until(visitor, b"event: done")


def test_who_leaves_ends_the_answer_and_frees_the_place(bench: Callable[..., Bench]) -> None:
    lent = shelves()

    def slowly() -> Iterator[Event | Callable[[], object]]:
        yield from events()[:3]
        for _ in range(600):  # a model that writes for a minute
            yield lambda: time.sleep(0.1)
            yield events()[3]

    asker = ScriptedAsker(lent, *slowly())
    with open_to_all(bench(asker=asker, shelves=lent).client.application) as port:
        for path in (PATH, "/ann?q=How+do+bees+dance%3F&mode=synthesis"):
            before = asker.closed
            visitor = ask(port, path)
            read_until(visitor, b"figure of eight")
            visitor.close()
            began = time.monotonic()
            until(lambda: asker.closed > before)  # noqa: B023  # it is asked at once
            assert time.monotonic() - began < 2.5
    until(lambda: lent.borrowed == 0)


def test_who_leaves_a_silent_answer_is_noticed_too(bench: Callable[..., Bench]) -> None:
    """Nothing is told for seconds: only what is sent meanwhile shows that nobody listens."""
    thought = Flag()
    lent = shelves()
    wrote_on: list[bool] = []
    asker = ScriptedAsker(
        lent, *events()[:3], lambda: thought.wait(20), events()[3], lambda: wrote_on.append(True), *events()[4:]
    )
    with open_to_all(bench(asker=asker, shelves=lent).client.application, threads=2) as port:
        visitor = ask(port)
        read_until(visitor, b"event: clip")
        visitor.close()
        time.sleep(3.5)
        thought.set()
        until(lambda: asker.closed == 1)
        until(lambda: lent.borrowed == 0)
    assert not wrote_on


def test_a_busy_model_is_told_in_plain_words_with_the_seconds(bench: Callable[..., Bench]) -> None:
    whole = essay()
    trouble = Trouble("synthesise", "a-model", "spent", "wait", 19.2, "limit 8000, org_secret")
    assert whole.essay
    degraded = replace(
        whole,
        making=Making("synthesis", troubles=(trouble,), lacking=("text",)),
        essay=Essay(whole.essay.cited, whole.essay.spoken),
    )
    asker = ScriptedAsker(shelves(), *events(degraded))
    text = bench(asker=asker).client.get(PATH).get_data(as_text=True)
    done = told(text)[-1][1]
    assert done["degraded"].startswith("The language model is busy for another 20 s.")
    assert "org_secret" not in text
    assert done["answer"].splitlines()[1].endswith("[2]")
