"""An answer that is told while it is made: one thread makes it, another sends it and may be left alone any time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")

SILENCE = 1.0
"""Seconds after which a sender says that there is nothing new: only whoever writes learns that nobody listens."""


class _End:
    pass


class Pipe(Generic[Item]):
    """What `make` yields, from a thread of its own. One reader.

    Whatever `make` holds is given back by that thread, however it ends. A reader that goes away closes `make` as soon
    as it has yielded what it is at.
    """

    def __init__(self, make: Callable[[], Generator[Item, None, None]], *, silence: float = SILENCE) -> None:
        self._told: SimpleQueue[Item | Exception | _End] = SimpleQueue()
        self._left = Flag()
        self._silence = silence
        context = copy_context()  # the request's id, for the log
        Thread(target=context.run, args=(self._run, make), name="answer", daemon=True).start()

    def _run(self, make: Callable[[], Generator[Item, None, None]]) -> None:
        try:
            with closing(make()) as items:
                for item in items:
                    self._told.put(item)
                    if self._left.is_set():
                        break
        except Exception as error:  # noqa: BLE001  # it is raised again, where somebody listens
            self._told.put(error)
        finally:
            self._told.put(_End())

    def first(self) -> Item:
        """Waits for it, however long. Raises what `make` raises, and LookupError where it yields nothing."""
        item = self._told.get()
        if isinstance(item, Exception):
            raise item
        if isinstance(item, _End):
            raise LookupError("nothing was made")
        return item

    def __iter__(self) -> Iterator[Item | None]:
        """The others; None after each silence. Raises what `make` raises."""
        while True:
            try:
                item = self._told.get(timeout=self._silence)
            except Empty:
                yield None
                continue
            if isinstance(item, Exception):
                raise item
            if isinstance(item, _End):
                return
            yield item

    def close(self) -> None:
        """Harmless at the end, and twice."""
        self._left.set()
