"""Feeds as publishers write them."""

from __future__ import annotations

import pytest

from qandai.adapters.addresses import check_address
from qandai.adapters.feed_items import chapters, feed_of
from qandai.errors import Unavailable

FEED = b"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
     xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:psc="http://podlove.org/simple-chapters">
<channel><title>Ann talks</title><language>en-GB</language>
<item><title>First &amp; foremost</title><guid isPermaLink="false">ann-0001</guid>
  <pubDate>Thu, 29 Feb 2024 09:00:00 GMT</pubDate><itunes:duration>1:02:05</itunes:duration>
  <enclosure url="https://cdn.test/1.mp3?x=1&amp;y=2" length="12345" type="audio/mpeg"/>
  <podcast:transcript url="https://ann.test/1.html" type="text/html"/>
  <podcast:transcript url="https://ann.test/1.srt" type="application/x-subrip" language="en"/>
  <podcast:transcript url="/1.vtt" type="text/vtt" rel="captions"/>
  <podcast:chapters url="https://ann.test/1.json" type="application/json+chapters"/></item>
<item><title>A note without sound</title><guid>ann-0002</guid></item>
<item><title>Third</title><itunes:duration>95</itunes:duration>
  <enclosure url="https://cdn.test/3.m4a" type="audio/mp4"/>
  <psc:chapters version="1.2"><psc:chapter start="00:01:05" title="Middle"/></psc:chapters></item>
</channel></rss>"""


def test_episodes_carry_what_ingest_needs() -> None:
    feed = feed_of(FEED, "https://ann.test/feed.xml")
    assert (feed.title, feed.language, len(feed.episodes)) == ("Ann talks", "en-gb", 2)
    first, third = feed.episodes
    assert (first.guid, first.title, first.published) == ("ann-0001", "First & foremost", "2024-02-29")
    assert (first.audio, first.size, first.duration) == ("https://cdn.test/1.mp3?x=1&y=2", 12345, 3725.0)
    assert first.transcripts == (
        ("https://ann.test/1.html", "text/html", None),
        ("https://ann.test/1.srt", "application/x-subrip", "en"),
        ("https://ann.test/1.vtt", "text/vtt", None),
    )
    assert first.chapters_url == "https://ann.test/1.json"
    assert (third.guid, third.duration, third.transcripts) == ("https://cdn.test/3.m4a", 95.0, ())
    assert [(chapter.start, chapter.title) for chapter in third.chapters] == [(65.0, "Middle")]


@pytest.mark.parametrize("content", [b"", b"<html><body>Not found</body></html>", b"{}", b"/etc/hostname", b"\x00\xff"])
def test_what_is_no_feed_is_refused(content: bytes) -> None:
    with pytest.raises(Unavailable, match="is no podcast feed"):
        feed_of(content, "https://ann.test/feed.xml")


def test_a_feed_that_breaks_off_keeps_what_came() -> None:
    assert len(feed_of(FEED[: FEED.index(b"<item><title>Third")], "https://ann.test/feed.xml").episodes) == 1


def test_entities_are_not_unfolded() -> None:
    bomb = FEED.replace(b"<rss", b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><rss', 1)
    bomb = bomb.replace(b"First &amp; foremost", b"&b;")
    feed = feed_of(bomb, "https://ann.test/feed.xml")
    assert "hahaha" not in feed.episodes[0].title
    assert feed.episodes[0].transcripts == ()


def test_chapters_are_read_in_order_and_silent_ones_left_out() -> None:
    listed = b'[{"startTime":9.5,"title":"B"},{"startTime":0,"title":"A"},{"startTime":5,"toc":false},{"title":"x"}]'
    content = b'{"version":"1.2.0","chapters":' + listed + b"}"
    assert [(chapter.start, chapter.title) for chapter in chapters(content)] == [(0.0, "A"), (9.5, "B")]
    assert chapters(b"[]") == ()
    assert chapters(b"not json") == ()


HOSTS = {
    "ann.test": ("93.184.216.34",),
    "inside.test": ("10.0.0.7",),
    "meta.test": ("169.254.169.254",),
    "local": ("127.0.0.1",),
}


def test_a_feed_from_outside_cannot_send_us_inside() -> None:
    def lookup(host: str) -> tuple[str, ...]:
        return HOSTS[host]

    check_address("https://ann.test/1.mp3", trusted="https://ann.test/feed", lookup=lookup)
    check_address("http://local/1.mp3", trusted="http://local/feed", lookup=lookup)
    for url in ("http://inside.test/x", "http://meta.test/latest", "file:///etc/passwd", "gopher://x", "http:///x"):
        with pytest.raises(Unavailable):
            check_address(url, trusted="https://ann.test/feed", lookup=lookup)
