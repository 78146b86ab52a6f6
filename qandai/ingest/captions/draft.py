"""What a format's parser hands on: cues in words, as the file claims them. Nothing is repaired yet."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TypeAlias

from qandai.model import Captions, Word

# A JSON document just loaded: the one place where nothing is known of its shape yet.
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_NUMBER = re.compile(r" *-?[0-9]{1,12}(?:\.[0-9]{1,12})? *\Z")
_CLOCK = re.compile(r"\s*(?:([0-9]{1,6}):)?([0-9]{1,2}):([0-9]{1,2})(?:[.,]([0-9]{1,9}))?\s*\Z")


@dataclass(frozen=True, slots=True)
class Segment:
    """A cue, with what the recogniser's own figures say of it: that its text `repeats` itself; that it is `unheard`
    (probably no speech); that it is `invented` (no speech, and the text a guess)."""

    words: list[Word]
    repeats: bool = False
    unheard: bool = False
    invented: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A file in words. `recognised`: a speech recogniser may have made it that invents text where nobody speaks.

    `duration` is the media's, seconds, where the file tells; `repairs` what the parser had to guess, counted.
    """

    segments: list[Segment]
    captions: Captions = "imported"
    recognised: bool = True
    language: str | None = None
    title: str | None = None
    video_id: str | None = None
    url: str | None = None
    published: str | None = None
    duration: float | None = None
    repairs: dict[str, int] = field(default_factory=dict)


def seconds(value: Json) -> float | None:
    """A time as files write it: a number, a number in quotes, or a clock time; to the millisecond, because finer
    figures are no measurement. None if it is none of these."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return round(float(value), 3) if abs(value) < 1e12 and math.isfinite(value) else None
    if isinstance(value, str):
        if _NUMBER.match(value):
            return round(float(value), 3)
        return clock(value)
    return None


def clock(text: str) -> float | None:
    """1:02:03.5, 02:03,500 or 02:03 in seconds; hours do not wrap. None if it is no clock time."""
    match = _CLOCK.match(text)
    if match is None:
        return None
    hours, minutes, second, fraction = match.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + int(second) + round(float(f"0.{fraction}"), 3)


def text_of(value: Json) -> str:
    return value if isinstance(value, str) else ""
