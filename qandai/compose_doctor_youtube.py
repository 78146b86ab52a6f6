"""What is wrong where YouTube is asked: yt-dlp, what it runs, cookies, and whether this address is let in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Literal

from qandai import compose_ingest
from qandai.adapters import ytdlp_setup
from qandai.adapters.ytdlp import Opens
from qandai.errors import AccessRefused, QandaiError, Throttled
from qandai.findings import Finding
from qandai.settings import Settings

OLD_DAYS = 60
_PROBED = "jNQXAC9IVRw"  # the site's first video, which outlived every change so far


def diagnoses(settings: Settings, *, wanted: bool, online: bool, today: date, opens: Opens | None) -> Iterator[Finding]:
    """`wanted`: somebody's recordings come from there. `online`: it is asked. `opens` makes yt-dlp's site."""
    yield from _ytdlp(wanted, today)
    yield from _runtime(settings, wanted)
    yield from _cookies(settings)
    yield from _youtube(settings, wanted and online, opens)


def _ytdlp(wanted: bool, today: date) -> Iterator[Finding]:
    released = ytdlp_setup.released()
    state: Literal["note", "fault"] = "fault" if wanted else "note"
    update = "pip install -U 'yt-dlp[default]'"
    if released is None:
        yield Finding("yt-dlp", state, "not installed", "pip install 'yt-dlp[default]'")
    elif (today - released).days > OLD_DAYS:
        yield Finding("yt-dlp", state, f"too old: released {released}; YouTube changes every month", update)
    else:
        yield Finding("yt-dlp", "ok", f"released {released}")


def _runtime(settings: Settings, wanted: bool) -> Iterator[Finding]:
    """Captions come without it; sound does not."""
    name = compose_ingest.js_runtime(settings)
    state: Literal["note", "fault"] = "fault" if wanted else "note"
    if name is None:
        yield Finding(
            "JavaScript runtime", state, "missing: videos without captions cannot be heard", "Install deno 2 or node 20"
        )
    elif fault := ytdlp_setup.runtime_fault(name):
        yield Finding("JavaScript runtime", state, fault, "Install deno 2 or node 20, or set QANDAI_JS_RUNTIME")
    elif not ytdlp_setup.has_solver():
        yield Finding(
            "JavaScript runtime", state, f"{name}, but yt-dlp-ejs is missing", "pip install -U 'yt-dlp[default]'"
        )
    else:
        yield Finding("JavaScript runtime", "ok", name)


def _cookies(settings: Settings) -> Iterator[Finding]:
    if settings.youtube_cookies is None:
        return
    fault = ytdlp_setup.cookies_fault(settings.youtube_cookies)
    if fault:
        yield Finding("cookies", "fault", f"stale: {fault}", "Export them again, or unset QANDAI_YOUTUBE_COOKIES")
    else:
        yield Finding("cookies", "ok", str(settings.youtube_cookies))


def _youtube(settings: Settings, online: bool, opens: Opens | None) -> Iterator[Finding]:
    for place, name in (("youtube", "YouTube"), ("feed", "feeds")):
        wait = compose_ingest.waits(settings).get(place)
        if wait and wait.until > datetime.now(UTC):
            until = f"{wait.until.astimezone():%d %B %H:%M}"
            yield Finding(
                name, "note", f"asked us to wait until {until} ({wait.strikes} times in a row)", "Ingest after that"
            )
    if not online:
        return
    try:
        compose_ingest.youtube(settings, opens=opens).look_up(_PROBED, fresh=True)
    except Throttled as exc:
        yield Finding("YouTube", "fault", "this address is blocked", exc.hint)
    except AccessRefused as exc:
        yield Finding("YouTube", "fault", f"cookies stale: {exc.message}", exc.hint)
    except QandaiError as exc:
        yield Finding("YouTube", "fault", exc.message, exc.hint)
    else:
        yield Finding("YouTube", "ok", "answers this address")
