"""That whoever asked has gone: what is under way for them alone ends, on whatever thread it runs."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock


class Leaving:
    """Threads share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._gone = False
        self._ends: list[Callable[[], None]] = []

    def then(self, end: Callable[[], None]) -> None:
        """Calls `end` when they go; at once if they have. It must bear being called from another thread, and twice."""
        with self._lock:
            if not self._gone:
                self._ends.append(end)
                return
        end()

    def go(self) -> None:
        with self._lock:
            self._gone = True
            ends, self._ends = self._ends, []
        for end in ends:
            end()
