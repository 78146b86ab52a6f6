from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.build import AUDIO, row
from tests.fakes import MemoryPeople
from tests.web.conftest import ANN, Bench

CONTENT = bytes(range(256)) * 40


def test_audio_comes_whole_with_its_type(client: FlaskClient) -> None:
    response = client.get("/media/ann/talk1", buffered=True)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "audio/mp4"
    assert response.headers["Accept-Ranges"] == "bytes"
    assert response.get_data() == CONTENT


@pytest.mark.parametrize(
    ("asked", "first", "last"), [("bytes=0-99", 0, 99), ("bytes=100-", 100, 10239), ("bytes=-10", 10230, 10239)]
)
def test_audio_comes_by_range(client: FlaskClient, asked: str, first: int, last: int) -> None:
    response = client.get("/media/ann/talk1", buffered=True, headers={"Range": asked})
    assert response.status_code == 206
    assert response.headers["Content-Range"] == f"bytes {first}-{last}/10240"
    assert response.get_data() == CONTENT[first : last + 1]


def test_a_range_past_the_end_is_416(client: FlaskClient) -> None:
    response = client.get("/media/ann/talk1", buffered=True, headers={"Range": "bytes=20000-"})
    assert response.status_code == 416
    assert response.headers["Content-Range"] == "bytes */10240"


def test_an_unchanged_recording_is_not_sent_again(client: FlaskClient) -> None:
    tag = client.get("/media/ann/talk1", buffered=True).headers["ETag"]
    assert client.get("/media/ann/talk1", buffered=True, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "https://example.org/a.m4a",
        "../secret.m4a",
        "audio/../../secret.m4a",
        "audio/ann/link.m4a",
        "audio/ann",
        "audio/ann/notes.txt",
        "audio/ann/none.m4a",
        "audio/ann/\0.m4a",
        "/etc/passwd",
        "audio/" + "x" * 5000,
        "people/ann.m4a",
    ],
)
def test_nothing_but_audio_below_its_folder_is_ever_sent(
    bench: Callable[..., Bench], home: Path, url: str | None
) -> None:
    (home.parent / "secret.m4a").write_bytes(b"secret")
    (home / "secret.m4a").write_bytes(b"secret")
    (home / "people" / "ann.m4a").write_bytes(b"secret")
    (home / "audio" / "ann" / "notes.txt").write_bytes(b"secret")
    (home / "audio" / "ann" / "link.m4a").symlink_to(home / "secret.m4a")
    client = bench(spans=[row("bees dance", video=replace(AUDIO, url=url)).whole()]).client
    response = client.get("/media/ann/talk1", buffered=True)
    assert response.status_code == 404
    assert b"secret" not in response.get_data()


@pytest.mark.parametrize("path", ["/media/ann/none", "/media/bob/talk1", "/media/ann/tube", "/media/ann/..%2Ftalk1"])
def test_unknown_recordings_are_404(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_audio_may_be_linked_into_its_folder_from_within(bench: Callable[..., Bench], home: Path) -> None:
    (home / "audio" / "same.mp3").symlink_to(home / "audio" / "ann" / "talk1.m4a")
    client = bench(spans=[row("bees dance", video=replace(AUDIO, url="audio/same.mp3")).whole()]).client
    assert client.get("/media/ann/talk1", buffered=True).status_code == 200


def test_portraits_come_from_the_folder_of_people_alone(bench: Callable[..., Bench], home: Path) -> None:
    (home / "people" / "ann.png").write_bytes(b"\x89PNG")
    (home / "ann.png").write_bytes(b"secret")
    for portrait, status in (("ann.png", 200), ("none.png", 404), ("../ann.png", 404), ("ann.yaml", 404), (None, 404)):
        response = bench(MemoryPeople(replace(ANN, portrait=portrait))).client.get("/portraits/ann", buffered=True)
        assert response.status_code == status
        assert b"secret" not in response.get_data()
