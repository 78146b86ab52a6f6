"""From a file and what the caller knows to a transcript: id, title, source, provenance."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qandai.errors import UsageError
from qandai.ingest.importing import Told, id_from_name, id_in_name, transcript_of
from qandai.model import Provenance, Transcript, Video

LAW = settings(max_examples=50, deadline=None)  # busy machines are slow, and that is no failure

AT = "2026-05-01T12:00:00+00:00"
VTT = b"WEBVTT\n\n00:01.000 --> 00:02.000\nhello there\n"
IN_FILE = b'{"video_id": "inside-1", "title": "Told inside", "segments": [{"start": 0, "end": 1, "text": "a"}]}'


def read(name: str, content: bytes = VTT, told: Told = Told()) -> Transcript:  # noqa: B008  # frozen
    return transcript_of(name, content, told, at=AT)[1]


def test_a_file_tells_its_id_title_and_language_by_its_name_where_nothing_else_does() -> None:
    read_file = read("a_first talk.en.vtt")
    assert read_file.video == Video("a_first-talk-en", "a first talk", language="en")
    assert read_file.provenance == Provenance("imported", origin="a_first talk.en.vtt", fetched_at=AT)
    assert read_file.exact_share == 0.5


def test_what_the_file_says_counts_before_its_name_and_the_caller_before_both() -> None:
    assert read("name.json", IN_FILE).video == Video("inside-1", "Told inside")
    told = Told("mine", "My title", "2024-05-31")
    assert read("name.json", IN_FILE, told).video == Video("mine", "My title", published="2024-05-31")


def test_only_a_youtube_address_makes_a_youtube_recording() -> None:
    video = read("talk.vtt", told=Told(url="https://youtu.be/dQw4w9WgXcQ?t=4")).video
    assert (video.id, video.source, video.url) == (
        "dQw4w9WgXcQ",
        "youtube",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
    )
    assert read("talk [dQw4w9WgXcQ].vtt").video.source is None
    assert read("talk.vtt", told=Told(url="https://vimeo.com/7")).video.source is None


@pytest.mark.parametrize("url", ["https://example.org/a.MP3?x=1", "audio/ann/talk.m4a"])
def test_an_audio_address_or_file_plays_as_audio(url: str) -> None:
    video = read("talk.vtt", told=Told(url=url)).video
    assert (video.id, video.source, video.url) == ("talk", "audio", url)


@pytest.mark.parametrize(
    "told",
    [
        {"video_id": "a/b"},
        {"video_id": ""},
        {"video_id": "x" * 65},
        {"title": " "},
        {"title": "x" * 301},
        {"published": "31.5.2024"},
        {"published": "2024-02-30"},
        {"url": "javascript:alert(1)"},
        {"url": "/etc/passwd"},
        {"url": "../a.mp3"},
        {"url": "https:///x"},
    ],
)
def test_what_cannot_be_is_bad_usage(told: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Told(**told)


@pytest.mark.parametrize(
    ("stem", "found"),
    [
        ("A talk [dQw4w9WgXcQ]", "dQw4w9WgXcQ"),
        ("whisperx_sps_a95KMDHf4vQ.en", "a95KMDHf4vQ"),
        ("20250117_A-ib0Npcg2c", "A-ib0Npcg2c"),
        ("programming", None),
        ("talk_programming", None),
        ("a talk", None),
    ],
)
def test_ids_are_found_where_download_tools_write_them(stem: str, found: str | None) -> None:
    assert id_in_name(stem) == found


@LAW
@given(st.text(max_size=90))
def test_every_name_makes_a_valid_id(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id_from_name(name))


def test_names_that_lose_letters_stay_apart() -> None:
    assert id_from_name("συνέντευξη") != id_from_name("ομιλία")
    assert id_from_name("x" * 80) != id_from_name("x" * 81)
