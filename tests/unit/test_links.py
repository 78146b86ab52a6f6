from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from qandai import links
from qandai.model import Video

TUBE = Video("talk", "A talk", "youtube", "https://www.youtube.com/watch?v=dQw4w9WgXcQ")
HELD = Video("talk1", "A talk", "audio", "audio/ann/talk.m4a")
FEED = Video("talk2", "A talk", "audio", "https://example.org/ep.mp3?x=1#old")
MUTE = Video("talk3", "A talk")


@pytest.mark.parametrize(
    ("time", "shown"), [(0.2, "0:00"), (59.7, "0:59"), (3725.4, "1:02:05"), (-0.3, "0:00"), (90000, "25:00:00")]
)
def test_clock_times_are_floored_and_hours_do_not_wrap(time: float, shown: str) -> None:
    assert links.timestamp(time) == shown


@pytest.mark.parametrize(("start", "t"), [(0.2, "0s"), (59.7, "59s"), (3725.4, "3725s"), (0.0, "0s"), (-3.0, "0s")])
def test_a_watch_link_holds_whole_seconds_and_never_a_negative_one(start: float, t: str) -> None:
    assert links.watch_url("ann", TUBE, start, start + 5) == f"https://www.youtube.com/watch?v=dQw4w9WgXcQ&t={t}"


def test_audio_plays_from_a_fragment_and_text_alone_from_its_transcript() -> None:
    assert links.watch_url("ann", HELD, 12.341, 45.6) == "/media/ann/talk1#t=12.34,45.60"
    assert links.watch_url("ann", FEED, 1, 2) == "https://example.org/ep.mp3?x=1#t=1.00,2.00"
    assert links.watch_url("ann", MUTE, 1, 2) == "/ann/videos/talk3?t=1.00&end=2.00#moment"


def test_a_moment_survives_its_link_whatever_the_question_holds() -> None:
    path = links.moment_path("οδηγός", "talk1", 12.34, 45.6, 'a&b=c#d "é" ?')
    parts = urlsplit(path)
    assert parts.path == "/%CE%BF%CE%B4%CE%B7%CE%B3%CF%8C%CF%82"
    assert parse_qs(parts.query) == {"q": ['a&b=c#d "é" ?'], "v": ["talk1"], "t": ["12.34"], "end": ["45.60"]}


@pytest.mark.parametrize(
    "address",
    [
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=5",
        "https://youtu.be/dQw4w9WgXcQ?t=5",
        "http://m.youtube.com/shorts/dQw4w9WgXcQ",
        "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=5",
        "https://www.youtube.com/live/dQw4w9WgXcQ/",
    ],
)
def test_every_form_of_youtube_address_is_understood(address: str) -> None:
    assert links.youtube_id(address) == "dQw4w9WgXcQ"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "dQw4w9WgXcQ",
        "https://www.youtube.com/watch?v=short",
        "https://evil.example/watch?v=dQw4w9WgXcQ",
        "https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ",
        "javascript:alert(1)//youtu.be/dQw4w9WgXcQ",
        "https://[bad/watch?v=dQw4w9WgXcQ",
        "https://youtu.be/dQw4w9WgXcQ/more",
    ],
)
def test_what_is_no_youtube_address_is_none(address: str) -> None:
    assert links.youtube_id(address) is None
