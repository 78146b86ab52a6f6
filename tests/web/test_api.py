from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from qandai.answer import Answer, NoAnswer
from qandai.errors import (
    Busy,
    ModelMissing,
    NotReady,
    PersonFileError,
    Problem,
    ProviderError,
    QandaiError,
    StoreBroken,
    StoreLocked,
)
from qandai.model import Person, Question
from qandai.ports import ShelfState
from tests.fakes import MemoryPeople, MemoryShelf, MemoryShelves, WordAsker
from tests.web.conftest import ANN, BEES, Bench, passages


def ask(client: FlaskClient, **given: Any) -> Any:
    response = client.post("/api/ask", json={"person": "ann", "question": "How do bees dance?", **given})
    return response.status_code, response.get_json()


def test_an_answer_has_every_field_that_is_promised(client: FlaskClient) -> None:
    status, body = ask(client)
    assert status == 200
    assert set(body) == {
        *("person", "question", "mode", "answered", "refused", "degraded", "answer", "clip", "alternatives"),
        *("sources", "meta", "coverage", "model", "cached", "request_id", "timings_ms"),
    }
    assert body["answered"] is True
    assert body["refused"] is False
    assert body["mode"] == "clip"
    assert body["answer"] == body["clip"]["quote"] == BEES
    assert body["coverage"] == {
        "videos": 3,
        "hours": 0.04,
        "from": "2025-01-01",
        "to": "2026-04-01",
        "indexed_at": "2026-05-01T12:00:00+00:00",
    }
    assert set(body["timings_ms"]) == {"expand", "embed", "retrieve", "select", "generate", "align", "total"}


def test_a_clip_plays_from_its_start_with_the_lead_taken_off(client: FlaskClient) -> None:
    clip = ask(client)[1]["clip"]
    assert clip == {
        "video_id": "talk1",
        "title": "A first talk",
        "published": "2026-03-03",
        "media": {"kind": "audio", "url": "/media/ann/talk1"},
        "start": 9.7,
        "end": 18.0,
        "timestamp": "0:09",
        "quote": BEES,
        "match": "exact",
        "exact": True,
        "url": "/media/ann/talk1#t=9.70,18.00",
    }


def test_youtube_and_text_without_a_player_have_their_own_links(client: FlaskClient) -> None:
    film = ask(client, question="How does the waggle dance look on film?")[1]["clip"]
    assert film["media"] == {"kind": "youtube", "id": "dQw4w9WgXcQ"}
    assert film["url"] == "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=12s"
    note = ask(client, question="Is there a written note about winter?")[1]["clip"]
    assert note["media"] is None
    assert note["url"] == "/ann/videos/mute?t=0.00&end=4.50#moment"


def test_what_was_never_said_is_an_answer_with_near_moments(client: FlaskClient) -> None:
    status, body = ask(client, question="Who won the flowers prize?")
    assert status == 200
    assert (body["answered"], body["refused"], body["clip"], body["sources"]) == (False, True, None, [])
    assert body["answer"] == "This isn't covered in the recordings."
    assert [near["video_id"] for near in body["alternatives"]] == ["talk1"]


def test_a_refusal_speaks_the_language_of_the_recordings(bench: Callable[..., Bench]) -> None:
    greek = Person("οδηγός", "Ο Οδηγός", language="el")
    client = bench(MemoryPeople(greek), slug="οδηγός").client
    body = client.post("/api/ask", json={"person": "οδηγός", "question": "Τι;"}).get_json()
    assert body["refused"] is True
    assert body["answer"] == "Αυτό δεν αναφέρεται στις ηχογραφήσεις."


def test_sources_name_their_passages(client: FlaskClient) -> None:
    body = client.post("/api/search", json={"person": "ann", "question": "bees dance", "top_k": 2}).get_json()
    first = body["sources"][0]
    assert first == {
        "n": 1,
        "passage_id": "talk1:0-15",
        "video_id": "talk1",
        "title": "A first talk",
        "published": "2026-03-03",
        "start": 10.0,
        "end": 18.0,
        "timestamp": "0:10",
        "text": BEES,
        "score": 2.0,
        "url": "/media/ann/talk1#t=10.00,18.00",
    }
    assert len(body["sources"]) == 2


def test_mode_sources_has_passages_and_no_clip_and_asks_no_selector(bench: Callable[..., Bench]) -> None:
    made = bench()
    _, body = ask(made.client, mode="sources")
    assert (body["mode"], body["answered"], body["clip"]) == ("sources", True, None)
    assert body["sources"]
    assert made.asker.asked == []


def test_synthesis_without_a_model_is_what_was_said_and_says_so(client: FlaskClient) -> None:
    body = ask(client, mode="synthesis")[1]
    assert body["mode"] == "synthesis"
    assert body["clip"]
    assert body["answer"].splitlines()[0] == f"“{BEES}” [1]"
    assert [source["n"] for source in body["sources"]] == [1, 2]
    assert "No language model" in body["degraded"]
    assert body["model"] is None


def test_options_reach_the_asker(bench: Callable[..., Bench]) -> None:
    made = bench()
    filters = {"videos": ["talk1"], "sources": ["A channel"], "from": "2026-01-01", "to": "2026-12-31"}
    history = [{"question": "Before?", "video_id": "talk1"}]
    assert ask(made.client, question="  How\n do bees  dance? ", top_k=3, filters=filters, history=history)[0] == 200
    asked = made.asker.asked[0]
    assert (asked.text, asked.top_k) == ("How do bees dance?", 3)
    assert (asked.filters.videos, asked.filters.sources) == (("talk1",), ("A channel",))
    assert (asked.filters.since, asked.filters.until) == ("2026-01-01", "2026-12-31")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"question": ""}, "question"),
        ({"question": " \t "}, "question"),
        ({"question": "???"}, "question"),
        ({"question": "x" * 501}, "question"),
        ({"question": 7}, "question"),
        ({"question": None}, "question"),
        ({"question": "a\ud800b"}, "question"),
        ({"person": ""}, "person"),
        ({"person": "a" * 65}, "person"),
        ({"person": ["ann"]}, "person"),
        ({"top_k": 0}, "top_k"),
        ({"top_k": 21}, "top_k"),
        ({"top_k": "5"}, "top_k"),
        ({"top_k": 2.5}, "top_k"),
        ({"top_k": True}, "top_k"),
        ({"mode": "loud"}, "mode"),
        ({"filters": {"from": "2026-13-01"}}, "filters.from"),
        ({"filters": {"from": 0}}, "filters.from"),
        ({"filters": {"from": "2026-02-01", "to": "2026-01-01"}}, "filters"),
        ({"filters": {"videos": ["../../etc"]}}, "filters.videos.0"),
        ({"filters": {"videos": ["a"] * 101}}, "filters.videos"),
        ({"filters": []}, "filters"),
        ({"history": [{"question": "a"}] * 5}, "history"),
        ({"history": [{"video_id": "a"}]}, "history.0.question"),
        ({"topk": 5}, "topk"),
    ],
)
def test_what_is_malformed_is_refused_by_the_name_of_its_field(
    client: FlaskClient, given: dict[str, Any], field: str
) -> None:
    status, body = ask(client, **given)
    assert status == 422
    assert body["error"]["code"] == "malformed"
    assert body["error"]["message"].startswith(f"{field}: ")


def test_a_question_is_measured_after_it_is_cleaned(client: FlaskClient) -> None:
    assert ask(client, question="bees " + "\n" * 600 + "dance")[0] == 200
    assert ask(client, question="x" * 500)[0] == 200


def test_a_question_that_is_too_long_is_told_so_in_characters(client: FlaskClient) -> None:
    asked = "why " * 200
    error = client.post("/api/ask", json={"person": "ann", "question": asked}).get_json()["error"]
    assert error["message"] == "question: String should have at most 500 characters"
    assert "at most 500 characters" in client.get("/ann", query_string={"q": asked}).get_data(as_text=True)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"bees"', b"\xff\xfe", b"[" * 50_000, b'{"a":' * 5000])
def test_what_is_no_json_object_is_malformed(client: FlaskClient, body: bytes) -> None:
    response = client.post("/api/ask", data=body, content_type="application/json")
    assert response.status_code == 422
    assert response.get_json()["error"]["code"] == "malformed"


def test_bodies_over_64_kb_are_refused_in_our_shape(client: FlaskClient) -> None:
    response = client.post("/api/ask", data=b" " * (64 * 1024 + 1), content_type="application/json")
    assert response.status_code == 413
    assert response.get_json()["error"]["hint"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/people/bob", "unknown_person"),
        ("/api/people/ann/videos/none/transcript", "unknown_video"),
        ("/api/people/bob/videos/talk1/transcript", "unknown_person"),
        ("/api/nothing", "not_found"),
    ],
)
def test_unknown_things_are_404(client: FlaskClient, path: str, code: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    body = response.get_json()
    assert body["error"]["code"] == code
    assert set(body["error"]) == {"code", "message", "hint"}
    assert body["request_id"] == "made-by-the-site"


def test_an_unknown_person_cannot_be_asked(client: FlaskClient) -> None:
    assert ask(client, person="bob")[0] == 404


def test_the_wrong_method_is_405_in_our_shape(client: FlaskClient) -> None:
    response = client.get("/api/ask")
    assert response.status_code == 405
    assert "POST" in response.headers["Allow"]
    assert response.get_json()["error"]["code"] == "method_not_allowed"


class FailingAsker(WordAsker):
    def __init__(self, error: Exception) -> None:
        super().__init__(MemoryShelves({}))
        self._error = error

    def ask(self, question: Question) -> Answer | NoAnswer:
        raise self._error


@pytest.mark.parametrize(
    ("error", "status", "code", "waits"),
    [
        (ProviderError("Groq said: key sk-secret is bad."), 502, "provider_failed", False),
        (NotReady("ann is being indexed."), 503, "not_ready", True),
        (Busy("Many people are asking."), 503, "busy", True),
        (StoreBroken("/srv/store/ann is damaged."), 503, "store_unusable", True),
        (StoreLocked("locked by 123"), 503, "store_unusable", True),
        (ModelMissing("no weights in /srv"), 503, "model_missing", True),
        (PersonFileError("/srv/people/ann.yaml", (Problem(3, "bad"),)), 503, "person_file", True),
        (QandaiError("who knows"), 500, "internal", False),
        (KeyError("/srv/secret"), 500, "internal", False),
    ],
)
def test_failures_have_their_status_and_tell_strangers_nothing_of_the_machine(
    bench: Callable[..., Bench], error: Exception, status: int, code: str, waits: bool
) -> None:
    made = bench(asker=FailingAsker(error))
    response = made.client.post("/api/ask", json={"person": "ann", "question": "bees"})
    assert response.status_code == status
    assert response.get_json()["error"]["code"] == code
    assert ("Retry-After" in response.headers) is waits
    assert "/srv" not in response.get_data(as_text=True)
    assert "sk-secret" not in response.get_data(as_text=True)
    page = made.client.get("/ann?q=bees")
    assert page.status_code == status
    assert "text/html" in page.headers["Content-Type"]
    assert "/srv" not in page.get_data(as_text=True)
    assert made.shelves.borrowed == 0


def test_people_are_listed_with_coverage_and_a_broken_file_hides_nobody(bench: Callable[..., Bench]) -> None:
    people = MemoryPeople(ANN, broken={"bad": PersonFileError("bad.yaml", (Problem(1, "no name"),))})
    body = bench(people).client.get("/api/people").get_json()
    assert [person["slug"] for person in body["people"]] == ["ann"]
    assert body["people"][0]["coverage"]["videos"] == 3
    assert body["people"][0]["suggested_questions"] == ["How do bees dance?"]


def test_a_person_lists_recordings_newest_first(client: FlaskClient) -> None:
    body = client.get("/api/people/ann").get_json()
    assert [video["id"] for video in body["videos"]] == ["tube", "talk1", "mute"]
    assert body["url"] == "/ann"


def test_a_transcript_is_the_words_with_their_times(client: FlaskClient) -> None:
    body = client.get("/api/people/ann/videos/talk1/transcript").get_json()
    assert body["video"]["media"] == {"kind": "audio", "url": "/media/ann/talk1"}
    assert " ".join(segment["text"] for segment in body["segments"]).startswith(BEES)
    assert body["segments"][0]["words"][0] == {"word": "Bees", "start": 10.0, "end": 10.5}


def test_ready_is_503_while_anybody_is_indexed_and_names_everybody(bench: Callable[..., Bench]) -> None:
    shelf = MemoryShelf(*passages())
    states = {"bob": ShelfState("indexing", reason="being indexed")}
    response = bench(shelves=MemoryShelves({"ann": shelf}, states)).client.get("/ready")
    assert response.status_code == 503
    assert response.get_json() == {
        "ready": False,
        "persons": {
            "ann": {"state": "ready", "passages": 4},
            "bob": {"state": "indexing", "reason": "being indexed", "passages": 0},
        },
    }
    failed = {"bob": ShelfState("failed", reason="broken")}
    assert bench(shelves=MemoryShelves({"ann": shelf}, failed)).client.get("/ready").status_code == 200
    assert bench(shelves=MemoryShelves({}, failed)).client.get("/ready").status_code == 503


def test_health_touches_nothing(bench: Callable[..., Bench]) -> None:
    response = bench(shelves=MemoryShelves({})).client.get("/health")
    assert response.status_code == 200
    assert json.loads(response.get_data()) == {"status": "ok"}
