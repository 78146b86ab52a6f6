"""YouTube through yt-dlp, which follows its changes month by month. Imported when it is used: never by the server."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from qandai.adapters import ytdlp_errors as errors
from qandai.adapters import ytdlp_info as infos
from qandai.adapters.ytdlp_info import Info
from qandai.adapters.ytdlp_lookups import Lookups
from qandai.errors import ProviderError, ToolMissing, Withheld
from qandai.model import Video
from qandai.origins import Details, Listed, Track

_MOST_BYTES = 64 * 2**20
_MOST_LISTED = 20_000
_SEARCHED = 50  # results of a search that names no limit


class Site(Protocol):
    """What is used of a `yt_dlp.YoutubeDL`."""

    def extract_info(self, url: str, *, download: bool, process: bool = True) -> Info | None: ...

    def urlopen(self, req: str) -> Any: ...


Opens = Callable[[dict[str, Any]], Site]


@dataclass(frozen=True, slots=True)
class Access:
    """How YouTube is asked. `pause` seconds lie between captions, up to twice as many between videos; 0 for none.
    `runtime` runs YouTube's scripts: deno, node, quickjs or bun. `clients` are yt-dlp's names, empty for its own
    choice."""

    cache: Path
    runtime: str | None = None
    cookies: Path | None = None
    proxy: str | None = None
    clients: tuple[str, ...] = ()
    pause: float = 5.0


class YtDlp:
    """The `VideoSite` port. Not for several threads at once."""

    def __init__(
        self,
        access: Access,
        *,
        opens: Opens | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        dice: random.Random | None = None,
    ) -> None:
        self._access = access
        self._opens = opens or _open
        self._sleep = sleep
        self._dice = dice or random.Random()  # noqa: S311 # spreads requests in time, hides nothing
        self._lookups = Lookups(access.cache / "lookups", now=now)
        self._log = _Log()
        self._sites: dict[str, Site] = {}
        self._asked = False

    def listing(self, address: str, *, limit: int | None = None) -> Iterator[Listed]:
        if not address.startswith("http"):
            address = f"ytsearch{min(limit or _SEARCHED, 500)}:{address}"
        return islice(self._listing(address, nested=True), limit or _MOST_LISTED)

    def look_up(self, video_id: str, *, fresh: bool = False) -> Details:
        kept = None if fresh else self._lookups.get(video_id)
        if kept is None:
            self._wait(1, 2)
            self._log.withheld = False
            try:
                kept = infos.reduced(self._extract(video_id), withheld=self._log.withheld)
            except ProviderError as exc:
                if exc.__cause__ is not None and errors.is_upcoming(exc.__cause__):
                    return Details(Video(video_id, video_id, "youtube"), airing="upcoming")
                raise
            self._lookups.put(video_id, kept)
        return infos.details({**kept, "id": video_id})

    def embeds(self, video_id: str) -> bool | None:
        """The embedded player's own client sees only what may be embedded."""
        self._wait(1, 2)
        site = self._site("embedded", extractor_args={"youtube": {"player_client": ["web_embedded"]}})
        try:
            info = self._ask(site, _watch(video_id), video_id)
        except Withheld:
            return None
        plays = info.get("playable_in_embed")
        return plays if isinstance(plays, bool) else None

    def captions(self, track: Track) -> bytes:
        assert not track.translated
        assert track.by_hand or track.original
        self._wait(1, 1)
        try:
            return self._caption_file(track)
        except Withheld:
            self._lookups.drop_address(track.url)  # it must not be handed out again
            raise

    def _caption_file(self, track: Track) -> bytes:
        with _translating(track.key):
            body = self._site("looking").urlopen(track.url).read(_MOST_BYTES + 1)
        if not isinstance(body, bytes) or not body.strip():
            raise Withheld(f"The captions ({track.key}) came empty.", hint="They are asked for again later.")
        if re.match(rb"\s*<(?:!doctype|html)", body[:200], re.IGNORECASE):
            raise Withheld(f"A web page came in place of the captions ({track.key}).", hint="Asked again later.")
        return body

    def audio(self, video_id: str, folder: Path) -> Path:
        self._wait(2, 4)
        site = self._opens(
            self._options(
                format="ba[ext=m4a]/ba/b",
                outtmpl={"default": str(folder / "%(id)s.%(ext)s")},
                ignore_no_formats_error=False,
            )
        )
        with _translating(video_id):
            site.extract_info(_watch(video_id), download=True)
        found = next((path for path in sorted(folder.glob(f"{video_id}.*")) if path.suffix != ".part"), None)
        if found is None:
            raise ProviderError(
                f"YouTube gave no sound for {video_id}.",
                hint="Without a JavaScript runtime few formats are left; qandai doctor tells.",
            )
        return found

    def _listing(self, address: str, *, nested: bool) -> Iterator[Listed]:
        self._wait(0.2, 0.4)
        site = self._site("listing", extract_flat="in_playlist", lazy_playlist=True)
        try:
            with _translating(address):
                info = site.extract_info(address, download=False, process=False)
                while info and info.get("_type") in ("url", "url_transparent"):
                    info = site.extract_info(str(info.get("url")), download=False, process=False)
        except ProviderError as exc:
            if exc.__cause__ is not None and errors.is_missing_tab(exc.__cause__):
                return
            raise
        entries = iter((info or {}).get("entries") or ())
        while True:
            with _translating(address):
                entry = next(entries, None)
            if entry is None:
                return
            if not isinstance(entry, Mapping):
                continue
            found = infos.listed(entry)
            if found is not None:
                yield found
            elif nested and "list=" in (infos.text(entry, "url") or ""):
                yield from self._listing(str(entry["url"]), nested=False)

    def _extract(self, video_id: str) -> Info:
        return self._ask(self._site("looking"), _watch(video_id), video_id)

    def _ask(self, site: Site, url: str, subject: str) -> Info:
        with _translating(subject):
            info = site.extract_info(url, download=False)
        if not isinstance(info, Mapping):
            raise Withheld(f"YouTube said nothing about {subject}.", hint="It is asked again later.")
        return info

    def _site(self, purpose: str, **options: Any) -> Site:
        if purpose not in self._sites:
            self._sites[purpose] = self._opens(self._options(**options))
        return self._sites[purpose]

    def _options(self, **more: Any) -> dict[str, Any]:
        access = self._access
        return {
            "quiet": True,
            "noprogress": True,
            "logger": self._log,
            "skip_download": "format" not in more,
            "writesubtitles": "format" not in more,  # else it keeps silent about captions that it was not given
            "ignoreerrors": False,  # True would turn an error into a None
            "ignore_no_formats_error": True,  # captions exist where nothing plays
            "socket_timeout": 20,
            "extractor_retries": 2,
            "retries": 3,
            "sleep_interval_requests": 0.15 * access.pause,
            "js_runtimes": {access.runtime: {}} if access.runtime else {},
            "cachedir": str(access.cache / "yt-dlp"),
            **({"cookiefile": str(access.cookies)} if access.cookies else {}),
            **({"proxy": access.proxy} if access.proxy else {}),
            "extractor_args": {"youtube": {"player_client": list(access.clients)}} if access.clients else {},
            **more,
        }

    def _wait(self, least: float, most: float) -> None:
        """In multiples of the pause; the first request of a run need not wait."""
        if self._asked and self._access.pause:
            self._sleep(self._dice.uniform(least, most) * self._access.pause)
        self._asked = True


class _Log:
    """yt-dlp's log. It tells there, and nowhere else, that captions were withheld."""

    def __init__(self) -> None:
        self.withheld = False

    def debug(self, message: str) -> None:
        if "missing subtitles languages because a PO token" in message:
            self.withheld = True

    info = warning = error = debug


@contextmanager
def _translating(subject: str) -> Iterator[None]:
    """yt-dlp's errors, and those of its network code, into ours."""
    try:
        yield
    except Exception as exc:
        if not type(exc).__module__.startswith("yt_dlp") and not isinstance(exc, ConnectionError | TimeoutError):
            raise
        raise errors.translated(exc, subject) from exc


def _watch(video_id: str) -> str:
    return f"https://www.youtube.com/watch?v={video_id}"


def _open(options: dict[str, Any]) -> Site:
    try:
        import yt_dlp  # type: ignore[import-untyped] # shipped without types; slow to load
    except ImportError as exc:
        raise ToolMissing("YouTube needs yt-dlp.", hint="Try: pip install 'yt-dlp[default]'") from exc
    site: Site = yt_dlp.YoutubeDL(options)
    return site
