"""Each person's newest open shelf, lent to readers while new generations arrive.

A thread looks at the pointers. A new generation is opened beside the old one and swapped in; the old one is closed
after its last borrower. A person whose collection cannot be opened never stands in the way of the others.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from qandai.errors import NotReady, QandaiError, StoreError, UnknownPerson
from qandai.memory import give_back
from qandai.ports import People, Shelf, ShelfState

RETRY = 30.0
"""Seconds after which a collection that could not be opened is tried again, though its pointer stands still."""

TIDY = 60.0
"""Seconds after which what questions left behind in memory goes back to the system."""


class ClosableShelf(Shelf, Protocol):
    def close(self) -> None: ...


class Shop(Protocol):
    """Where shelves come from."""

    def open(self, slug: str) -> ClosableShelf:
        """Raises NotReady before the first index, StoreError, PersonFileError."""

    def signature(self, slug: str) -> object:
        """Changes whenever there is something newer to open; None before the first generation. Cheap."""

    def writer(self, slug: str) -> str | None:
        """What is being run on the person's collection now, or None."""


@dataclass(slots=True)
class _Lent:
    """`borrowers` is counted under the lock of the shelves; the last one closes a shelf that was retired."""

    shelf: ClosableShelf
    borrowers: int = 0
    retired: bool = False


@dataclass(frozen=True, slots=True)
class _Failure:
    error: QandaiError
    at: float


class OpenShelves:
    """The `Shelves` port. Without `start` each person is opened when first asked, and stays at that generation."""

    def __init__(
        self,
        people: People,
        shop: Shop,
        *,
        every: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        tidy: Callable[[], None] = give_back,
    ) -> None:
        self._people = people
        self._shop = shop
        self._every = every
        self._clock = clock
        self._tidy = tidy
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._lent: dict[str, _Lent] = {}
        self._seen: dict[str, object] = {}
        self._failures: dict[str, _Failure] = {}
        self._states: dict[str, ShelfState] = {}
        self._awaited: frozenset[str] = frozenset()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Opens all persons and follows their pointers, in the background."""
        self._states = {slug: ShelfState("indexing", reason="being opened") for slug in self._people.slugs()}
        self._thread = threading.Thread(target=self._follow, name="shelves", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with self._lock:
            slugs = list(self._lent)
        for slug in slugs:
            self._replace(slug, None)

    def await_index(self, slugs: Collection[str]) -> None:
        """Says for whom an index run is under way: those of them without a shelf are indexing, not failed."""
        self._awaited = frozenset(slugs)

    def states(self) -> Mapping[str, ShelfState]:
        return dict(self._states)

    def borrow(self, slug: str) -> AbstractContextManager[Shelf]:
        return self._borrow(slug)

    @contextmanager
    def _borrow(self, slug: str) -> Iterator[Shelf]:
        lent = self._take(slug)
        if lent is None and self._thread is None:
            self._open(slug)
            lent = self._take(slug)
        if lent is None:
            raise self._refusal(slug).with_traceback(None)  # kept errors are raised often: no growing traceback
        try:
            yield lent.shelf
        finally:
            self._give_back(lent)

    def look(self) -> None:
        """One round: opens what is new, notices who came, who left and who is being indexed."""
        slugs = self._people.slugs()
        for slug in slugs:
            if self._is_due(slug):
                self._open(slug)
            self._states[slug] = self._state(slug)
        for slug in set(self._states) - set(slugs):
            self._replace(slug, None)
            self._states.pop(slug)
            self._failures.pop(slug, None)
            self._seen.pop(slug, None)

    def _follow(self) -> None:
        tidied = self._clock()
        while not self._stopped.is_set():
            with suppress(OSError):  # a folder that cannot be listed now may be there in a second
                self.look()
            if self._clock() - tidied >= TIDY:
                self._tidy()
                tidied = self._clock()
            self._stopped.wait(self._every)

    def _is_due(self, slug: str) -> bool:
        if slug not in self._seen or self._shop.signature(slug) != self._seen[slug]:
            return True
        failure = self._failures.get(slug)
        return failure is not None and self._clock() - failure.at >= RETRY

    def _open(self, slug: str) -> None:
        with self._opening:  # one at a time: opening reads a whole collection into memory
            self._seen[slug] = self._shop.signature(slug)
            try:
                shelf = self._shop.open(slug)
            except NotReady as error:  # never indexed, or forgotten: then nobody may read on
                self._failures[slug] = _Failure(error, self._clock())
                self._replace(slug, None)
            except QandaiError as error:
                self._failures[slug] = _Failure(error, self._clock())
            except Exception as error:  # noqa: BLE001  # whatever it is, the other persons must not wait for it
                reason = StoreError(f"The collection of {slug} cannot be read: {error}.")
                self._failures[slug] = _Failure(reason, self._clock())
            else:
                self._failures.pop(slug, None)
                self._replace(slug, shelf)
                self._tidy()

    def _state(self, slug: str) -> ShelfState:
        lent = self._lent.get(slug)
        if lent is not None:
            return ShelfState("ready", len(lent.shelf.places))
        writer = self._shop.writer(slug)
        if writer is not None or slug in self._awaited:
            return ShelfState("indexing", reason="being indexed")
        failure = self._failures.get(slug)
        return ShelfState("failed", reason=str(failure.error) if failure else "not opened yet")

    def _refusal(self, slug: str) -> QandaiError:
        if slug not in self._people.slugs():
            return UnknownPerson(f"There is no person {slug!r}.", hint="Try: qandai people")
        state = self._states.get(slug)
        failure = self._failures.get(slug)
        if failure is None or (state is not None and state.state == "indexing"):
            return NotReady(f"{slug} is being indexed.", hint="Try again in a moment.")
        return failure.error

    def _take(self, slug: str) -> _Lent | None:
        with self._lock:
            lent = self._lent.get(slug)
            if lent is not None:
                lent.borrowers += 1
            return lent

    def _give_back(self, lent: _Lent) -> None:
        with self._lock:
            lent.borrowers -= 1
            last = lent.retired and lent.borrowers == 0
        if last:
            lent.shelf.close()

    def _replace(self, slug: str, shelf: ClosableShelf | None) -> None:
        with self._lock:
            old = self._lent.pop(slug, None)
            if shelf is not None:
                self._lent[slug] = _Lent(shelf)
            idle = old is not None and old.borrowers == 0
            if old is not None:
                old.retired = True
        if old is not None and idle:
            old.shelf.close()
