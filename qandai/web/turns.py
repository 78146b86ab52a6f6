"""Whose question is worked on now, who waits, and who is asked to come back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from qandai.errors import Busy

AT_ONCE = 8
"""Questions that are worked on side by side. More of them answer no more (32 visitors on two cores had the same number
of answers from 4, 8 and 12), and fewer leave the processor free for pages: /health took 32, 52 and 153 ms."""

AT_ONCE_WITH_MODELS = 24
"""The same where language models elsewhere help: such an answer waits for seconds and works for hardly a tenth of one.
32 visitors whose answers took 50 ms of work and 2 s of waiting had 70, 98, 131 and 138 answers in 12 s from 8, 16, 24
and 36 at once, after 8.2, 4.8, 3.1 and 2.5 s; /health took 44, 189, 260 and 490 ms at its 95th percentile. And 120
questions a minute, the site's own limit, are 16 at once when each takes all of its 8 seconds."""

PATIENCE = 10.0
"""Seconds that a visitor waits for a turn."""


class Turns:
    """Threads share it. Of the server's threads a quarter never holds a question, not even one that waits: pages,
    audio and probes find them free."""

    def __init__(self, threads: int, *, at_once: int = AT_ONCE, patience: float = PATIENCE) -> None:
        self._door = BoundedSemaphore(max(1, threads * 3 // 4))
        self._turns = BoundedSemaphore(at_once)
        self._patience = patience

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Raises Busy: at once where all places are taken, else when patience has ended."""
        if not self._door.acquire(blocking=False):
            raise _busy()
        try:
            if not self._turns.acquire(timeout=self._patience):
                raise _busy()
            try:
                yield
            finally:
                self._turns.release()
        finally:
            self._door.release()


def _busy() -> Busy:
    return Busy("Many people are asking just now.", hint="Please ask again in a few seconds.")
