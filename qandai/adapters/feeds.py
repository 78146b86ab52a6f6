"""Podcast feeds over HTTP: the feed itself, and the transcripts, chapters and recordings that it names."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from qandai import __version__
from qandai.adapters.addresses import Lookup, check_address, resolve
from qandai.adapters.durable import write_whole
from qandai.adapters.feed_items import chapters, feed_of
from qandai.errors import AccessRefused, DiskFull, ProviderError, Throttled, Unavailable
from qandai.origins import Chapter, Feed

_MOST_FEED_BYTES = 64 * 2**20
_MOST_TEXT_BYTES = 64 * 2**20
_MOST_REDIRECTS = 10  # hosts of podcasts chain several counters
_SUFFIX = re.compile(r"\.(mp3|m4a|m4b|mp4|aac|ogg|oga|opus|flac|wav|webm|mka|mkv|mov)$", re.IGNORECASE)


class HttpFeeds:
    """The `Feeds` port. `cache` holds each feed as it last came, with what its server needs to say "unchanged".

    A feed is written by strangers: it may not send us to addresses of this machine or its network, unless it comes
    from there itself.
    """

    def __init__(
        self,
        cache: Path,
        *,
        most_audio_bytes: int,
        transport: httpx.BaseTransport | None = None,
        lookup: Lookup = resolve,
    ) -> None:
        self._cache = cache
        self._most_audio = most_audio_bytes
        self._lookup = lookup
        self._client = httpx.Client(
            transport=transport,
            timeout=httpx.Timeout(30, read=60),
            headers={"User-Agent": f"qandai/{__version__} (podcast transcripts)"},
        )

    def read(self, url: str) -> Feed:
        kept = self._kept(url)
        headers = {
            name: kept[key]
            for name, key in (("If-None-Match", "etag"), ("If-Modified-Since", "modified"))
            if kept.get(key)
        }
        body = self._body_file(url)
        with self._get(url, feed=url, headers=headers) as answer:
            if answer.status_code == 304 and body.exists():
                return feed_of(body.read_bytes(), url)
            content = _bounded(answer, _MOST_FEED_BYTES)
            described = {"etag": answer.headers.get("ETag"), "modified": answer.headers.get("Last-Modified")}
        feed = feed_of(content, url)
        self._cache.mkdir(parents=True, exist_ok=True)
        write_whole(body, content)
        write_whole(body.with_suffix(".json"), json.dumps({"url": url, **described}).encode())
        return feed

    def transcript(self, url: str, *, feed: str) -> bytes:
        with self._get(url, feed=feed) as answer:
            return _bounded(answer, _MOST_TEXT_BYTES)

    def chapters(self, url: str, *, feed: str) -> tuple[Chapter, ...]:
        return chapters(self.transcript(url, feed=feed))

    def audio(self, url: str, folder: Path, *, feed: str) -> Path:
        suffix = _SUFFIX.search(urlsplit(url).path)
        path = folder / f"recording{suffix[0].lower() if suffix else '.audio'}"
        with self._get(url, feed=feed) as answer:
            expected = answer.headers.get("Content-Length", "")
            if expected.isdigit() and int(expected) > self._most_audio:
                raise _too_large(url, int(expected), self._most_audio)
            try:
                size = self._save(answer, path, url)
            except OSError as exc:
                raise DiskFull(f"No room for {url}: {exc.strerror}.", hint="Free some disk and run it again.") from exc
        if expected.isdigit() and "Content-Encoding" not in answer.headers and size != int(expected):
            raise ProviderError(f"{url} broke off after {size} of {expected} bytes.", hint="It is tried again later.")
        return path

    def _save(self, answer: httpx.Response, path: Path, url: str) -> int:
        size = 0
        with path.open("wb") as file:
            for block in answer.iter_bytes(2**20):
                size += len(block)
                if size > self._most_audio:
                    raise _too_large(url, size, self._most_audio)
                file.write(block)
        return size

    @contextmanager
    def _get(self, url: str, *, feed: str, headers: dict[str, str] | None = None) -> Iterator[httpx.Response]:
        """Follows redirects itself, because each of their addresses must be allowed."""
        with _translating(url):
            for _ in range(_MOST_REDIRECTS):
                check_address(url, trusted=feed, lookup=self._lookup)
                with self._client.stream("GET", url, headers=headers) as answer:
                    if answer.status_code in (301, 302, 303, 307, 308) and "Location" in answer.headers:
                        url = urljoin(url, answer.headers["Location"])
                        continue
                    _refuse(answer, url)
                    yield answer
                    return
            raise Unavailable(f"{url} redirects too often")

    def _kept(self, url: str) -> dict[str, Any]:
        try:
            kept = json.loads(self._body_file(url).with_suffix(".json").read_bytes())
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) and kept.get("url") == url else {}

    def _body_file(self, url: str) -> Path:
        return self._cache / f"{hashlib.sha256(url.encode()).hexdigest()[:24]}.xml"


def _refuse(answer: httpx.Response, url: str) -> None:
    status = answer.status_code
    if status == 429 or status == 503:
        wait = answer.headers.get("Retry-After", "")
        seconds = min(float(wait), 86400.0) if wait.isdigit() else None
        raise Throttled(f"{url} answers {status}: not now.", hint="It is asked again later.", wait=seconds)
    if status in (401, 403):
        raise AccessRefused(f"{url} refuses access ({status}).", hint="A private feed needs its own full address.")
    if status in (404, 410):
        raise Unavailable(f"{url} is gone ({status})")
    if status >= 400:
        raise ProviderError(f"{url} answers {status}.", hint="It is asked again later.")


def _bounded(answer: httpx.Response, most: int) -> bytes:
    content = bytearray()
    for block in answer.iter_bytes():
        content += block
        if len(content) > most:
            raise _too_large(str(answer.url), len(content), most)
    return bytes(content)


def _too_large(url: str, size: int, most: int) -> Unavailable:
    return Unavailable(
        f"{url} is larger than {most >> 20} MB",
        hint=f"It has at least {size >> 20} MB; QANDAI_MAX_AUDIO_MB is the limit.",
    )


@contextmanager
def _translating(url: str) -> Iterator[None]:
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as exc:
        reason = str(exc) or type(exc).__name__
        raise ProviderError(f"{url} cannot be reached: {reason}.", hint="Is the network there?") from exc
