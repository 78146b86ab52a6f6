"""What visitors report, and what keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Note:
    """What a visitor's page reports: a recording that did not play (`code` says how), a thumb (`value`), or a line
    that was transcribed wrongly (`text`). `second` is where in the recording; `request_id` of the answer shown."""

    kind: Literal["playback", "thumb", "line"]
    person: str
    video_id: str
    request_id: str | None = None
    code: str | None = None
    value: str | None = None
    second: float | None = None
    text: str | None = None


REFUSALS = ("100", "101", "150")
"""The codes of a playback report that blame the video: it is gone, or its owner lets no other site play it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """How often visitors' players refused a video, and when last (UTC)."""

    count: int
    last: datetime


class Feedback(Protocol):
    """Keeps what visitors report, the newest of it where there is too much. Threads share it."""

    def keep(self, note: Note) -> None:
        """Raises DatabaseFailed."""

    def notes(self, person: str) -> tuple[Note, ...]:
        """Oldest first. Raises DatabaseFailed."""

    def refusals(self, person: str) -> Mapping[str, Refusal]:
        """By video id, where a player reported one of `REFUSALS`. Raises DatabaseFailed."""

    def forget(self, person: str, video_id: str | None = None) -> int:
        """Removes what is kept about a person, or one recording; how many notes there were. Raises DatabaseFailed."""
