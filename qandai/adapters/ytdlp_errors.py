"""What yt-dlp says when something fails, in our own errors. It tells causes apart by their wording only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qandai.errors import AccessRefused, ProviderError, Throttled, Unavailable, Withheld

BLOCKED = "YouTube wants this address to wait."
_BLOCKED_HINT = (
    "Run ingest from a home or office line rather than a data centre, later or more slowly (QANDAI_YOUTUBE_PAUSE); "
    "QANDAI_YOUTUBE_PROXY and QANDAI_YOUTUBE_COOKIES change who asks."
)
_WAIT = re.compile(
    r"not a bot|try again later|rate.?limit|captcha|error 429|too many requests|unusual traffic|http error 403.*sorry",
    re.IGNORECASE,
)
_UPCOMING = re.compile(r"live event will begin|premieres? (?:in|will begin)|premiere.*scheduled", re.IGNORECASE)
_NO_TAB = re.compile(r"does not have an? \S+ tab|has no \S+ tab|no tab", re.IGNORECASE)
_COOKIES = re.compile(r"cookies are no longer valid|cookies.*(?:rotated|expired)|login required|please sign in", re.I)
_OLD = re.compile(r"unable to extract|failed to parse|signature|nsig|report this issue|update yt-dlp", re.IGNORECASE)
_NEVER = (  # in this order: "private video" also says "sign in"
    ("private", re.compile(r"private video|video is private", re.IGNORECASE)),
    ("members only", re.compile(r"members.only|join this channel", re.IGNORECASE)),
    ("age-restricted", re.compile(r"confirm your age|age.restricted|inappropriate for some", re.IGNORECASE)),
    ("paid", re.compile(r"payment|purchase|rent(?:al)?\b|premium", re.IGNORECASE)),
    ("blocked in this country", re.compile(r"in your country|geo.?restrict|your location", re.IGNORECASE)),
    ("removed", re.compile(r"removed|terminated|deleted|no longer available|copyright|does not exist", re.IGNORECASE)),
    ("unavailable", re.compile(r"unavailable|not available|incomplete youtube id", re.IGNORECASE)),
)


def translated(exc: BaseException, subject: str) -> ProviderError:
    """`subject` is what was asked for, such as a video id. The message's first word says the reason."""
    said = " ".join(str(cause) for cause in _causes(exc))
    status = next((code for cause in _causes(exc) if isinstance(code := getattr(cause, "status", None), int)), None)
    if status == 429 or _WAIT.search(said):
        return Throttled(f"{BLOCKED} ({subject})", hint=_BLOCKED_HINT, wait=_wait(exc))
    if _COOKIES.search(said) and not _NEVER[0][1].search(said):
        return AccessRefused(
            f"YouTube does not accept the cookies any more ({subject}).",
            hint="Export them again from a private window and close it at once, or unset QANDAI_YOUTUBE_COOKIES.",
        )
    if _is_geo(exc):
        return Unavailable("blocked in this country")
    for reason, pattern in _NEVER:
        if pattern.search(said):
            return Unavailable(reason)
    if status is not None:
        return Withheld(f"YouTube answered {status} for {subject}.", hint="It is asked again later.")
    if _OLD.search(said):
        return ProviderError(
            f"yt-dlp could not read YouTube's answer for {subject}.",
            hint="It follows YouTube's changes month by month. Try: pip install -U 'yt-dlp[default]'",
        )
    return ProviderError(f"YouTube could not be reached for {subject}: {_short(exc)}", hint="Is the network there?")


def is_upcoming(exc: BaseException) -> bool:
    return any(_UPCOMING.search(str(cause)) for cause in _causes(exc))


def is_missing_tab(exc: BaseException) -> bool:
    return any(_NO_TAB.search(str(cause)) for cause in _causes(exc))


def withdrawn(title: str) -> str | None:
    """Listings show what nobody can watch by its title alone."""
    return {"[private video]": "private", "[deleted video]": "removed"}.get(title.strip().lower())


def _causes(exc: BaseException | None) -> Iterator[BaseException]:
    """The error and what lies under it: yt-dlp keeps the cause in `exc_info`, `cause` or the usual place."""
    seen: set[int] = set()
    while isinstance(exc, BaseException) and id(exc) not in seen:
        seen.add(id(exc))
        yield exc
        info = getattr(exc, "exc_info", None)
        under = info[1] if isinstance(info, tuple) and len(info) > 1 else None
        exc = next(
            (c for c in (under, getattr(exc, "cause", None), exc.__cause__) if c is not None and c is not exc), None
        )


def _wait(exc: BaseException) -> float | None:
    for cause in _causes(exc):
        headers = getattr(getattr(cause, "response", None), "headers", None)
        value = headers.get("Retry-After") if headers is not None else None
        if isinstance(value, str) and value.strip().isdigit():
            return min(float(value), 86400.0)
    return None


def _is_geo(exc: BaseException) -> bool:
    return any(type(cause).__name__ == "GeoRestrictedError" for cause in _causes(exc))


def _short(exc: BaseException) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", str(exc)).removeprefix("ERROR: ").strip()[:200]
