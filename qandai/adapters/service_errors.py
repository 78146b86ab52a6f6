"""What services over HTTP say when they refuse: their own words, and when they may be asked again."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_DURATION = r"(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)(ms|s))?"
_AGAIN_IN = re.compile(f"try again in {_DURATION}", re.IGNORECASE)
_RESET = re.compile(_DURATION, re.IGNORECASE)


def words_of(content: bytes, key: str | None) -> str:
    """The service's own message, short, without the key."""
    text = content[:10_000].decode(errors="replace")
    match = re.search(r'"message"\s*:\s*"((?:[^"\\]|\\.){1,600})"', text)
    said = " ".join((match[1] if match else re.sub(r"<[^>]*>", " ", text)).split())
    return without_key(said, key)[:300]


def without_key(text: str, key: str | None) -> str:
    return text.replace(key, "***") if key else text


def wait_of(headers: Mapping[str, str], said: str) -> float | None:
    """Seconds: from Retry-After (a number or a date), else from the message ("try again in 1m2.5s"), else from the
    limits that are used up (x-ratelimit-reset-…: "2m59.56s")."""
    given = headers.get("retry-after", "").strip()
    try:
        seconds = float(given)
        if math.isfinite(seconds):
            return max(0.0, seconds)
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        pass
    again = _AGAIN_IN.search(said)
    seconds_said = _seconds(again) if again else None
    return _reset(headers) if seconds_said is None else seconds_said


def _reset(headers: Mapping[str, str]) -> float | None:
    """The later of the limits that are at 0; where none says so, the earlier of both."""
    known: dict[str, float] = {}
    for kind in ("requests", "tokens"):
        match = _RESET.fullmatch(headers.get(f"x-ratelimit-reset-{kind}", "").strip())
        seconds = _seconds(match) if match else None
        if seconds is not None:
            known[kind] = seconds
    spent = [known[kind] for kind in known if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0"]
    return max(spent) if spent else min(known.values(), default=None)


def _seconds(match: re.Match[str]) -> float | None:
    if not any(match.groups()):
        return None
    hours, minutes, rest, unit = match.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest) * (0.001 if unit.lower() == "ms" else 1)
