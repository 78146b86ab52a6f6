"""YouTube as yt-dlp shows it: a channel of our own behind `extract_info`, its caption files on a local server.

Everything else of yt-dlp runs for real: options, log, network code, errors.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import yt_dlp
from yt_dlp.utils import DownloadError, ExtractorError

Answer = tuple[int, bytes, Mapping[str, str]]
"""Status, body, headers."""

WORDS = (
    "harbour lantern copper winter signal meadow thunder pencil orchard velvet glacier compass saddle ember quartz "
    "falcon pepper ribbon canyon mirror walnut bridge marble feather anchor kettle garden violin shadow timber"
).split()


def speech(seed: int, count: int = 90) -> list[str]:
    """Words of a talk; no other seed gives any run of them."""
    dice = random.Random(seed)
    return [dice.choice(WORDS) for _ in range(count)]


def automatic(words: Sequence[str], *, each: int = 400) -> bytes:
    """json3 as YouTube recognises it: a window, lines of six words with an offset each, newline events."""
    events: list[dict[str, Any]] = [{"tStartMs": 0, "dDurationMs": len(words) * each, "id": 1, "wpWinPosId": 1}]
    for at in range(0, len(words), 6):
        line = words[at : at + 6]
        segs: list[dict[str, Any]] = [{"utf8": line[0]}]
        segs += [{"utf8": f" {word}", "tOffsetMs": each * n} for n, word in enumerate(line[1:], start=1)]
        events.append({"tStartMs": at * each, "dDurationMs": 12 * each, "wWinId": 1, "segs": segs})
        events.append(
            {"tStartMs": (at + 6) * each - 10, "dDurationMs": 10, "wWinId": 1, "aAppend": 1, "segs": [{"utf8": "\n"}]}
        )
    return json.dumps({"wireMagic": "pb3", "events": events}).encode()


def by_hand(cues: Sequence[tuple[float, float, str]]) -> bytes:
    events = [
        {"tStartMs": int(a * 1000), "dDurationMs": int((b - a) * 1000), "segs": [{"utf8": text}]} for a, b, text in cues
    ]
    return json.dumps({"wireMagic": "pb3", "pens": [{}], "events": events}).encode()


def cues(words: Sequence[str], *, each: float = 0.4, size: int = 9) -> list[tuple[float, float, str]]:
    """A hand-made track: nine words a cue, with a capital and a point."""
    found = []
    for at in range(0, len(words), size):
        part = list(words[at : at + size])
        part[0] = part[0].capitalize()
        found.append((at * each + 0.3, (at + len(part)) * each + 0.3, " ".join(part) + "."))
    return found


@dataclass
class Video:
    """`info` overrides the full look-up, `flat` the listing. `raises`: what looking it up says."""

    id: str
    title: str
    info: dict[str, Any] = field(default_factory=dict)
    flat: dict[str, Any] = field(default_factory=dict)
    manual: dict[str, str] = field(default_factory=dict)  # key: path of the caption file
    auto: dict[str, str] = field(default_factory=dict)
    translations: tuple[str, ...] = ()
    chat: bool = False
    withheld: bool = False
    raises: str | None = None
    geo: bool = False
    embeds: bool | None = None  # what the embedded player's client says


class Channel:
    """What the stand-in serves, and what was asked of it."""

    def __init__(self, videos: Sequence[Video], files: Mapping[str, Answer | bytes] | None = None) -> None:
        self.videos = {video.id: video for video in videos}
        self.files: dict[str, Answer | bytes] = dict(files or {})
        self.looked_up: list[str] = []
        self.listed = 0
        self.fetched: list[str] = []
        self.throttled_from: int | None = None  # caption requests from this number on are answered 429
        self.retry_after: str | None = None
        self.base = ""

    def opens(self, options: dict[str, Any]) -> _Site:
        return _Site(options, self)

    @contextmanager
    def served(self) -> Iterator[Channel]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.base = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def answer(self, path: str) -> Answer:
        name = path.partition("?")[0].lstrip("/")
        self.fetched.append(name)
        if self.throttled_from is not None and len(self.fetched) >= self.throttled_from:
            return 429, b"", {"Retry-After": self.retry_after} if self.retry_after else {}
        found = self.files.get(name, (404, b"", {}))
        return (200, found, {}) if isinstance(found, bytes) else found


class _Site(yt_dlp.YoutubeDL):  # type: ignore[misc, unused-ignore] # shipped without types
    def __init__(self, options: dict[str, Any], channel: Channel) -> None:
        super().__init__(options)
        self._channel = channel

    def extract_info(self, url: str, download: bool = True, process: bool = True, **_: Any) -> Any:
        if "watch?v=" in url:
            return self._look_up(url.rpartition("=")[2])
        self._channel.listed += 1
        if "/missing" in url:
            raise _failing("This channel does not have a streams tab")
        return {
            "_type": "playlist",
            "title": "A channel",
            "entries": iter([self._entry(v) for v in self._channel.videos.values()]),
        }

    def _entry(self, video: Video) -> dict[str, Any]:
        entry = {
            "_type": "url",
            "id": video.id,
            "title": video.title,
            "duration": 600,
            "url": f"https://www.youtube.com/watch?v={video.id}",
        }
        return {**entry, "live_status": None, "availability": None, **video.flat}

    def _look_up(self, video_id: str) -> dict[str, Any]:
        video = self._channel.videos[video_id]
        embedded = "web_embedded" in str(self.params.get("extractor_args"))
        if embedded:
            return {"id": video_id, "title": video.title, "playable_in_embed": video.embeds}
        self._channel.looked_up.append(video_id)
        if video.raises:
            raise _failing(video.raises)
        if video.withheld:
            self.report_warning(
                f"{video_id}: There are missing subtitles languages because a PO token was not provided."
            )
        info = {
            "id": video_id, "title": video.title, "duration": 600, "upload_date": "20250301", "channel": "Ann",
            "age_limit": 0, "live_status": "not_live", "availability": "public", "playable_in_embed": True,
            "media_type": "video", "language": None,
            "subtitles": {key: self._formats(path, f"lang={key}", video_id) for key, path in video.manual.items()},
            "automatic_captions": self._automatic(video),
        }  # fmt: skip
        if video.chat:
            info["subtitles"]["live_chat"] = [{"ext": "json", "url": f"{self._channel.base}/chat"}]
        return {**info, **video.info}

    def _automatic(self, video: Video) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for language, path in video.auto.items():
            for translated in video.translations:
                found[translated] = self._formats(path, f"kind=asr&lang={language}&tlang={translated}", video.id)
            for key in (f"{language}-orig", language):
                found[key] = self._formats(path, f"kind=asr&lang={language}", video.id)
        return found

    def _formats(self, path: str, query: str, video_id: str) -> list[dict[str, str]]:
        return [
            {"ext": ext, "url": f"{self._channel.base}/{path}?v={video_id}&{query}&fmt={ext}"}
            for ext in ("vtt", "json3")
        ]


def _failing(message: str) -> DownloadError:
    """As yt-dlp raises it: the cause lies in `exc_info`."""
    cause = ExtractorError(message, expected=True)
    return DownloadError(f"ERROR: {message}", (type(cause), cause, None))


def _handler(channel: Channel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body, headers = channel.answer(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    return Handler
