"""yt-dlp's dictionaries: what of them is speech, what is known, and what is taken for granted (nothing)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from qandai.adapters.ytdlp_info import details, expires, listed, reduced, tracks

URL = "https://www.youtube.com/api/timedtext?v=dQw4w9WgXcQ"


def formats(query: str) -> list[dict[str, str]]:
    return [{"ext": ext, "url": f"{URL}&{query}&fmt={ext}"} for ext in ("vtt", "json3")]


INFO: dict[str, Any] = {
    "id": "dQw4w9WgXcQ", "title": " A  talk ", "duration": 61.5, "upload_date": "20240229", "channel": "Ann",
    "availability": "unlisted", "live_status": "not_live", "playable_in_embed": True, "age_limit": 0,
    "subtitles": {"en-GB": formats("lang=en-GB&expire=1900000000"), "live_chat": [{"ext": "json", "url": URL}]},
    "automatic_captions": {
        "de": formats("kind=asr&lang=en&tlang=de"), "en": formats("kind=asr&lang=en"),
        "en-orig": formats("kind=asr&lang=en&variant=gemini"), "en-GB-en-GB": formats("lang=en-GB"),
    },
    "formats": [{"language": "es", "language_preference": -1}, {"language": "en", "language_preference": 10}],
}  # fmt: skip


def test_a_look_up_keeps_what_counts_through_the_disk() -> None:
    found = details(reduced(INFO, withheld=False))
    assert (found.video.title, found.video.published, found.video.duration) == ("A talk", "2024-02-29", 61.5)
    assert (found.availability, found.embeddable, found.spoken) == ("unlisted", True, "en")
    assert found.video.url == "https://www.youtube.com/watch?v=dQw4w9WgXcQ"


def test_tracks_tell_hands_from_recognisers_from_translators() -> None:
    by_key = {track.key: track for track in tracks(INFO)}
    assert "live_chat" not in by_key
    assert by_key["en-GB"].by_hand
    assert by_key["en-orig"].original
    assert by_key["en"].original
    assert by_key["de"].translated
    assert not by_key["de"].original
    copy = by_key["en-GB-en-GB"]
    assert (copy.by_hand, copy.original, copy.translated) == (False, False, False)
    assert all("fmt=json3" in track.url for track in by_key.values())
    assert next(track.key for track in tracks(INFO) if track.original) == "en-orig"


def test_only_true_means_that_it_plays_elsewhere() -> None:
    for value, expected in ((True, True), (False, False), (None, None), ("whitelist", False)):
        assert details(reduced({**INFO, "playable_in_embed": value}, withheld=False)).embeddable is expected


def test_addresses_tell_until_when_they_work() -> None:
    assert expires(INFO) == 1_900_000_000
    assert expires({}) is None


def test_what_is_no_video_is_no_entry() -> None:
    assert listed({"id": "UC0123456789", "title": "A channel"}) is None
    assert listed({"id": "dQw4w9WgXcQ", "title": "[Private video]"}).withdrawn == "private"  # type: ignore[union-attr]
    assert listed({"id": "dQw4w9WgXcQ", "live_status": "is_upcoming"}).airing == "upcoming"  # type: ignore[union-attr]


WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*INFO, "url", "ext", "x"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(list(INFO)), WILD))
def test_no_dictionary_is_too_odd(info: dict[str, Any]) -> None:
    details({**reduced({**INFO, **info}, withheld=True), "id": "dQw4w9WgXcQ"})
    listed(info)
