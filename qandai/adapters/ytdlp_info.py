"""yt-dlp's dictionaries, read once into our values. Nothing in them is taken for granted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from qandai.adapters.ytdlp_errors import withdrawn
from qandai.links import youtube_id
from qandai.model import Video
from qandai.origins import Airing, Details, Listed, Track

Info = Mapping[str, Any]
"""Whatever a service wrote: the one kind of value in this program whose shape nobody promises."""

_AIRING: Mapping[str, Airing] = {"is_live": "live", "is_upcoming": "upcoming", "post_live": "just_ended"}
_FORMATS = ("json3", "vtt", "srv3")  # by what they know of words
_KEPT = (
    "id", "title", "duration", "upload_date", "timestamp", "release_timestamp", "channel", "uploader", "language",
    "age_limit", "availability", "live_status", "playable_in_embed", "media_type",
)  # fmt: skip
_MOST_TRACKS = 1000


def listed(entry: Info) -> Listed | None:
    """None for an entry that is no video."""
    video_id = youtube_id(f"https://youtu.be/{text(entry, 'id') or ''}")
    if video_id is None:
        return None
    title = text(entry, "title") or video_id
    held_back = "members only" if text(entry, "availability") == "subscriber_only" else None
    return Listed(
        video_id,
        title,
        duration=number(entry, "duration"),
        published=published(entry),
        airing=_AIRING.get(text(entry, "live_status") or ""),
        withdrawn=withdrawn(title) or held_back,
        short="/shorts/" in (text(entry, "url") or ""),
    )


def reduced(info: Info, *, withheld: bool) -> dict[str, Any]:
    """What `details` reads of a full look-up, small enough to keep on disk."""
    kept: dict[str, Any] = {key: info.get(key) for key in _KEPT if _plain(info.get(key))}
    kept["language"] = _spoken(info)
    kept["withheld"] = withheld
    for group in ("subtitles", "automatic_captions"):
        kept[group] = {
            key: [{"ext": chosen["ext"], "url": chosen["url"]}]
            for key, chosen in _tracks(info.get(group))
            if group == "subtitles" or "tlang" not in parse_qs(urlsplit(chosen["url"]).query)
        }
    return kept


def details(kept: Info) -> Details:
    """Of what `reduced` made."""
    video_id = str(kept["id"])
    spoken = text(kept, "language")
    plays = kept.get("playable_in_embed")
    starts = number(kept, "release_timestamp")
    airing = _AIRING.get(text(kept, "live_status") or "")
    video = Video(
        video_id,
        text(kept, "title") or video_id,
        "youtube",
        f"https://www.youtube.com/watch?v={video_id}",
        published(kept),
        number(kept, "duration"),
        text(kept, "channel") or text(kept, "uploader"),
        spoken,
    )
    return Details(
        video,
        tracks=tuple(tracks(kept)),
        withheld=kept.get("withheld") is True,
        embeddable=None if plays is None else plays is True,  # "whitelist" and the like: not here
        age_limit=int(number(kept, "age_limit") or 0),
        availability=text(kept, "availability"),
        airing=airing,
        short=text(kept, "media_type") == "short",
        spoken=spoken,
        starts=datetime.fromtimestamp(starts, UTC) if airing == "upcoming" and starts and starts < 4e9 else None,
    )


def tracks(info: Info) -> Iterator[Track]:
    """Hand-made ones, then automatic ones with those marked as original first."""
    for key, chosen in _tracks(info.get("subtitles")):
        query = parse_qs(urlsplit(chosen["url"]).query)
        by_machine = query.get("kind") == ["asr"]
        yield _track(key, chosen["url"], by_hand=not by_machine, original=by_machine)
    automatic = sorted(_tracks(info.get("automatic_captions")), key=lambda pair: not pair[0].endswith("-orig"))
    for key, chosen in automatic:
        asr = parse_qs(urlsplit(chosen["url"]).query).get("kind") == ["asr"]
        yield _track(key, chosen["url"], by_hand=False, original=asr or key.endswith("-orig"))


def expires(kept: Info) -> float | None:
    """When the first caption address stops working, Unix seconds; None where none tells."""
    times = [parse_qs(urlsplit(track.url).query).get("expire", [""])[0] for track in tracks(kept)]
    return min((float(time) for time in times if time.isdigit() and len(time) < 12), default=None)


def published(info: Info) -> str | None:
    day = text(info, "upload_date")
    if day and len(day) == 8 and day.isdigit():
        try:
            return datetime(int(day[:4]), int(day[4:6]), int(day[6:]), tzinfo=UTC).date().isoformat()
        except ValueError:
            return None
    stamp = number(info, "timestamp")
    return datetime.fromtimestamp(stamp, UTC).date().isoformat() if stamp and 0 < stamp < 4e9 else None


def text(info: Info, key: str) -> str | None:
    value = info.get(key)
    return " ".join(value.split())[:300] or None if isinstance(value, str) else None


def number(info: Info, key: str) -> float | None:
    value = info.get(key)
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else None
    )


def _track(key: str, url: str, *, by_hand: bool, original: bool) -> Track:
    query = parse_qs(urlsplit(url).query)
    translated = "tlang" in query
    language = query.get("lang", [key.removesuffix("-orig")])[0]
    return Track(key, language, url, by_hand and not translated, original and not translated, translated)


def _tracks(group: object) -> list[tuple[str, dict[str, str]]]:
    """(key, chosen format) of every track that is no live chat and has an address."""
    found: list[tuple[str, dict[str, str]]] = []
    if not isinstance(group, Mapping):
        return found
    for key, formats in list(group.items())[:_MOST_TRACKS]:
        if key == "live_chat" or not isinstance(formats, list):
            continue
        usable = [
            f for f in formats if isinstance(f, Mapping) and str(f.get("url", "")).startswith(("https://", "http://"))
        ]
        for wanted in _FORMATS:
            chosen = next((f for f in usable if f.get("ext") == wanted), None)
            if chosen is not None:
                found.append((str(key), {"ext": wanted, "url": str(chosen["url"])}))
                break
    return found


def _spoken(info: Info) -> str | None:
    """The language of the default audio: the format that YouTube prefers most names it."""
    formats = info.get("formats")
    named = [
        (number(f, "language_preference") or 0.0, text(f, "language"))
        for f in (formats if isinstance(formats, list) else [])
        if isinstance(f, Mapping) and text(f, "language")
    ]
    if named:
        return max(named, key=lambda pair: pair[0])[1]
    return text(info, "language")


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
