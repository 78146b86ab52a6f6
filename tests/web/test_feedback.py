from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from qandai.feedback import Note
from qandai.settings import Settings
from qandai.site import Site
from qandai.web.app import create_app
from tests.fakes import MemoryFeedback, MemoryPeople, MemoryShelf, MemoryShelves, WordAsker
from tests.web.conftest import ANN, passages

FAULT = {"kind": "playback", "person": "ann", "video_id": "talk1", "code": "101", "at": 12.3}


@pytest.fixture
def kept() -> MemoryFeedback:
    return MemoryFeedback()


@pytest.fixture
def reporting(kept: MemoryFeedback, home: Path) -> FlaskClient:
    shelves = MemoryShelves({"ann": MemoryShelf(*passages())})
    site = Site(WordAsker(shelves), shelves, MemoryPeople(ANN), Settings(home=home), feedback=kept)
    return create_app(site).test_client()


def test_a_report_is_taken_and_kept(reporting: FlaskClient, kept: MemoryFeedback) -> None:
    response = reporting.post("/api/feedback", json=FAULT)
    assert response.status_code == 202
    assert kept.notes("ann") == (Note("playback", "ann", "talk1", code="101", second=12.3),)
    line = {"kind": "line", "person": "ann", "video_id": "talk1", "text": " Qubes\n OS ", "request_id": "a1b2c3d4"}
    assert reporting.post("/api/feedback", json=line).status_code == 202
    assert kept.notes("ann")[1].text == "Qubes OS"
    assert reporting.post("/api/feedback", json={**FAULT, "code": 150}).status_code == 202
    assert (
        reporting.post(
            "/api/feedback", json={"kind": "thumb", **{k: FAULT[k] for k in ("person", "video_id")}, "value": -1}
        ).status_code
        == 202
    )


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"kind": "rant"}, 422),
        ({"person": "bob"}, 404),
        ({"video_id": "none"}, 404),
        ({"video_id": "../x"}, 422),
        ({"code": "x" * 41}, 422),
        ({"code": "<script>"}, 422),
        ({"text": "x" * 1001}, 422),
        ({"at": -1}, 422),
        ({"value": 7}, 422),
        ({"request_id": "short"}, 422),
        ({"more": 1}, 422),
    ],
)
def test_what_is_no_report_is_refused(
    reporting: FlaskClient, kept: MemoryFeedback, given: dict[str, Any], status: int
) -> None:
    assert reporting.post("/api/feedback", json={**FAULT, **given}).status_code == status
    assert kept.notes("ann") == ()


def test_pages_report_only_where_reports_are_kept(reporting: FlaskClient, client: FlaskClient) -> None:
    assert 'data-feedback="/api/feedback"' in reporting.get("/ann").get_data(as_text=True)
    assert "data-feedback" not in client.get("/ann").get_data(as_text=True)
    assert client.post("/api/feedback", json=FAULT).status_code == 503
