"""An RSS or Atom feed, read into episodes. Namespaced elements that feedparser knows nothing of are read beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from io import BytesIO
from typing import Any
from urllib.parse import urljoin
from xml.parsers import expat

import feedparser

from qandai.errors import Unavailable
from qandai.origins import Chapter, Episode, Feed

_PODCAST = (
    "https://podcastindex.org/namespace/1.0",
    "https://github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
)
_MOST_EPISODES = 10_000
_MOST_CHAPTERS = 500
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2})\Z")

Found = dict[str, list[dict[str, str]]]
"""Elements of the podcast namespace in one item: attributes by local name."""


def feed_of(content: bytes, url: str) -> Feed:
    """Raises Unavailable for what is no feed."""
    parsed = feedparser.parse(BytesIO(content))  # bytes themselves could name a file
    if not parsed.get("version") or (parsed.get("bozo") and not parsed.entries):
        raise Unavailable(f"{url} is no podcast feed")
    extras = _podcast_elements(content)
    entries = parsed.entries[:_MOST_EPISODES]
    if len(extras) != len(parsed.entries):
        extras = [{} for _ in parsed.entries]
    episodes = tuple(
        episode
        for entry, extra in zip(entries, extras, strict=False)
        if (episode := _episode(entry, extra, url)) is not None
    )
    language = parsed.feed.get("language")
    title = _text(parsed.feed.get("title")) or url
    return Feed(title, episodes, language.lower() if isinstance(language, str) and language else None)


def chapters(content: bytes) -> tuple[Chapter, ...]:
    """A podcast:chapters file; empty for anything else."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return ()
    listed = document.get("chapters") if isinstance(document, dict) else None
    found = [
        Chapter(float(item["startTime"]), _text(item.get("title")) or "")
        for item in (listed if isinstance(listed, list) else [])[:_MOST_CHAPTERS]
        if isinstance(item, dict) and isinstance(item.get("startTime"), int | float) and item.get("toc") is not False
    ]
    return tuple(sorted(found, key=lambda chapter: chapter.start))


def _episode(entry: Mapping[str, Any], extra: Found, url: str) -> Episode | None:
    """None for an item without a recording."""
    enclosure = next((e for e in entry.get("enclosures", []) if _is_recording(e)), None)
    if enclosure is None:
        return None
    audio = urljoin(url, str(enclosure["href"]))
    size = str(enclosure.get("length") or "")
    return Episode(
        guid=_text(entry.get("id")) or audio,
        title=_text(entry.get("title")) or audio.rpartition("/")[2],
        audio=audio,
        size=int(size) if size.isdigit() and len(size) < 15 else None,
        published=_day(entry.get("published_parsed") or entry.get("updated_parsed")),
        duration=_duration(entry.get("itunes_duration")),
        transcripts=tuple(
            (urljoin(url, found["url"]), found.get("type", "").lower(), found.get("language"))
            for found in extra.get("transcript", [])
            if found.get("url")
        ),
        chapters_url=next(
            (urljoin(url, found["url"]) for found in extra.get("chapters", []) if found.get("url")), None
        ),
        chapters=_podlove(entry.get("psc_chapters")),
    )


def _is_recording(enclosure: Mapping[str, Any]) -> bool:
    kind = str(enclosure.get("type") or "")
    return bool(enclosure.get("href")) and (kind.startswith(("audio/", "video/")) or "/" not in kind or "octet" in kind)


def _podlove(found: Mapping[str, Any] | None) -> tuple[Chapter, ...]:
    listed = found.get("chapters", []) if found else []
    return tuple(
        Chapter(item["start_parsed"].total_seconds(), _text(item.get("title")) or "")
        for item in listed[:_MOST_CHAPTERS]
        if item.get("start_parsed") is not None
    )


def _podcast_elements(content: bytes) -> list[Found]:
    """Of each item, in order. Entities are not expanded, and a feed that breaks off keeps what came before."""
    items: list[Found] = []
    inside = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal inside
        space, _, local = name.rpartition(" ")
        if local in ("item", "entry") and space not in _PODCAST:
            items.append({})
            inside = True
        elif inside and space in _PODCAST and local in ("transcript", "chapters"):
            items[-1].setdefault(local, []).append({key.rpartition(" ")[2]: value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal inside
        if name.rpartition(" ")[2] in ("item", "entry"):
            inside = False

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = _no_entities
    with suppress(expat.ExpatError, ValueError):
        parser.Parse(content, True)
    return items


def _no_entities(*_: object) -> None:
    raise ValueError("a feed that declares entities")


def _duration(value: object) -> float | None:
    """Seconds, or a clock time."""
    text = str(value or "").strip()
    if re.fullmatch(r"\d{1,7}(\.\d+)?", text):
        return float(text) or None
    clock = _CLOCK.match(text)
    if clock is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in clock.groups())
    return float(hours * 3600 + minutes * 60 + seconds) or None


def _day(parsed: Any) -> str | None:
    try:
        return date(*parsed[:3]).isoformat() if parsed else None
    except (TypeError, ValueError):
        return None


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    plain = re.sub(r"<[^<>]{1,200}>", "", value)
    return " ".join(plain.split())[:300] or None
