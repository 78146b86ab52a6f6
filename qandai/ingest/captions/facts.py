"""What a JSON document says of its recording, under the names that tools use for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from qandai.ingest.captions.draft import Json, text_of
from qandai.ingest.captions.whisper import language
from qandai.links import youtube_id

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_MOST_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Facts:
    """None where the document does not say."""

    video_id: str | None = None
    title: str | None = None
    url: str | None = None
    published: str | None = None
    language: str | None = None


def found(document: Json) -> Facts:
    """Looks at the top of the document and at its `video`; never at the words."""
    if not isinstance(document, dict):
        return Facts()
    video = document.get("video")
    places: list[Mapping[str, Json]] = [document, *([video] if isinstance(video, dict) else [])]
    url = _first(places, ("url", "webpage_url", "about"))
    is_address = url is not None and url.startswith(("https://", "http://"))
    named = _first(places, ("video_id", "videoId")) or (_first(places[1:], ("id",)))
    video_id = named if named and _ID.match(named) else youtube_id(url) if url and is_address else None
    published = _first(places, ("published", "date"))
    return Facts(
        video_id=video_id,
        title=_first(places, ("title",)),
        url=url if is_address else None,
        published=published if published and is_date(published) else None,
        language=language(_first(places, ("language", "lang"))),
    )


def is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _first(places: list[Mapping[str, Json]], keys: tuple[str, ...]) -> str | None:
    texts = (text_of(place.get(key)).strip() for place in places for key in keys)
    return next((text[:_MOST_CHARACTERS] for text in texts if text), None)
