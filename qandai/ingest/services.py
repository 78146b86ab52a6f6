"""Which services still answer in this run. They know our address, so what they ask holds for all persons."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from qandai.errors import Throttled
from qandai.ingest.ledger import longer
from qandai.origins import Place, Wait, Waits

_PATIENCE = 3
"""Failures in a row after which a service is left alone: one may be the video's fault, three are the service's."""


class Services:
    """Lives for one run."""

    def __init__(self, waits: Waits, *, now: Callable[[], datetime]) -> None:
        self._waits = waits
        self._now = now
        self._failures: dict[Place, int] = {}
        self._closed: dict[Place, str] = {}

    @property
    def closed(self) -> dict[Place, str]:
        """Why a service is asked nothing more in this run."""
        return dict(self._closed)

    def is_open(self, place: Place) -> bool:
        return place not in self._closed

    def must_wait(self, place: Place) -> Wait | None:
        """What it asked for in an earlier run and is not over yet."""
        wait = self._waits.get(place)
        return wait if wait and wait.until > self._now() else None

    def answered(self, place: Place) -> None:
        self._failures[place] = 0
        if self._waits.get(place) is not None:
            self._waits.put(place, None)

    def failed(self, place: Place, reason: str) -> None:
        """A recording could not be had, and the service may be the reason."""
        self._failures[place] = self._failures.get(place, 0) + 1
        if self._failures[place] >= _PATIENCE:
            self.throttled(place, Throttled(reason))

    def throttled(self, place: Place, error: Throttled) -> Wait:
        wait = longer(self._waits.get(place), self._now(), error.wait)
        self._waits.put(place, wait)
        self._closed[place] = str(error)
        return wait

    def close(self, place: Place, reason: str) -> None:
        """For this run only."""
        self._closed[place] = reason

    def go_on(self) -> datetime | None:
        """When all that closed may be asked again."""
        waits = [wait for place in self._closed if (wait := self._waits.get(place))]
        return max((wait.until for wait in waits), default=None)
