"""Every address and clock time that the site, the API, the share link and the exports show, made in one place.

Whole seconds are floored and never below 0: a link may start a little early, never late and never before the start.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from qandai.model import Video

_YOUTUBE_ID = re.compile(r"[A-Za-z0-9_-]{11}\Z")
_YOUTUBE_HOSTS = ("youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "www.youtube-nocookie.com")
_YOUTUBE_PATH = re.compile(r"/(?:embed|shorts|live|v)/([^/]+)/?\Z")


def youtube_id(url: str) -> str | None:
    """The 11-character id in any form of YouTube address; None if it is not one."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    found: str | None = None
    if host in ("youtu.be", "www.youtu.be"):
        found = parts.path.strip("/")
    elif host in _YOUTUBE_HOSTS:
        path = _YOUTUBE_PATH.match(parts.path)
        found = path[1] if path else next(iter(parse_qs(parts.query).get("v", [])), None)
    return found if found and _YOUTUBE_ID.match(found) else None


def youtube_of(video: Video) -> str | None:
    """The YouTube id of a recording; None if it does not play there."""
    if video.source != "youtube":
        return None
    if video.url:
        return youtube_id(video.url)
    return video.id if _YOUTUBE_ID.match(video.id) else None


def media_url(slug: str, video: Video) -> str | None:
    """Where an audio recording plays from: its own http(s) address, or our /media. None without one."""
    if video.source != "audio" or not video.url:
        return None
    if urlsplit(video.url).scheme in ("http", "https"):
        return video.url
    return f"/media/{quote(slug)}/{quote(video.id)}"


def watch_url(slug: str, video: Video, start: float, end: float) -> str:
    """Opens the recording at a moment, seconds: on YouTube, in the browser's player, or in its transcript."""
    if youtube := youtube_of(video):
        return f"https://www.youtube.com/watch?v={youtube}&t={whole(start)}s"
    if media := media_url(slug, video):
        return f"{media.partition('#')[0]}#t={seconds(start)},{seconds(end)}"
    return transcript_path(slug, video.id, start, end)


def person_path(slug: str, question: str | None = None, *, mode: str | None = None) -> str:
    """A person's page, or the answer to a question (any text)."""
    asked = {"q": question} | ({"mode": mode} if mode else {})
    return f"/{quote(slug)}" + (f"?{urlencode(asked)}" if question else "")


def moment_path(slug: str, video_id: str, start: float, end: float, question: str | None = None) -> str:
    """The link to share: it holds the clip itself, so it plays the same moment however the ranking changes."""
    asked = {"q": question} if question else {}
    return f"/{quote(slug)}?" + urlencode({**asked, "v": video_id, "t": seconds(start), "end": seconds(end)})


def transcript_path(slug: str, video_id: str, start: float | None = None, end: float | None = None) -> str:
    """The transcript; with a moment, that passage is lit and scrolled to."""
    path = f"/{quote(slug)}/videos/{quote(video_id)}"
    if start is None or end is None:
        return path
    return f"{path}?{urlencode({'t': seconds(start), 'end': seconds(end)})}#moment"


def whole(start: float) -> int:
    return max(0, int(start))


def seconds(time: float) -> str:
    return f"{max(0.0, time):.2f}"


def timestamp(time: float) -> str:
    """0:12, 59:59, 1:02:05; hours do not wrap."""
    minutes, second = divmod(whole(time), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
