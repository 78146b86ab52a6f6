"""Visitors who ask the same at the same time share one call to a model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from threading import Condition, Lock
from time import monotonic
from typing import Generic, TypeVar

from qandai.chat import Completion, Llm, Pieces, Prompt
from qandai.errors import ProviderError, TimedOut

Kept = TypeVar("Kept")

_NEAR = 0.1  # seconds between the ends of two visitors who can share a stream


class SharedLlm:
    """A model whose calls are shared while they last. Nothing is kept of one that has ended. Threads share it."""

    def __init__(self, llm: Llm) -> None:
        self._llm = llm
        self._calls: _Shared[Future[Completion]] = _Shared()
        self._streams: _Shared[_Broadcast] = _Shared()

    @property
    def model(self) -> str:
        return self._llm.model

    @property
    def provider(self) -> str:
        return self._llm.provider

    def complete(self, prompt: Prompt, *, seconds: float) -> Completion:
        key = _key(prompt)
        call, first = self._calls.join(key, Future)
        if not first:
            try:
                return call.result(seconds)
            except TimeoutError as exc:
                raise TimedOut(f"{self.model} did not answer in {seconds:.1f} s.") from exc
        try:
            call.set_result(self._llm.complete(prompt, seconds=seconds))
        except BaseException as exc:
            call.set_exception(exc)
            raise
        finally:
            self._calls.leave(key, call)
        return call.result()

    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> Pieces:
        key = _key(prompt)
        until = monotonic() + seconds

        def begin() -> _Broadcast:
            pieces = self._llm.stream(prompt, seconds=seconds, first=first)
            return _Broadcast(pieces, until, over=lambda ended: self._streams.leave(key, ended))

        while True:
            broadcast, _ = self._streams.join(key, begin)
            if broadcast.until > until + _NEAR:  # whoever draws a piece waits as long as the call may take
                return self._llm.stream(prompt, seconds=seconds, first=first)
            listener = broadcast.listen(until)
            if listener is not None:
                return listener


def _key(prompt: Prompt) -> Hashable:
    return prompt.system, prompt.user, prompt.longest, prompt.form.name if prompt.form else None


class _Shared(Generic[Kept]):
    """What is under way, by what was asked."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[Hashable, Kept] = {}

    def join(self, key: Hashable, begin: Callable[[], Kept]) -> tuple[Kept, bool]:
        """What is under way, and whether it was begun just now."""
        with self._lock:
            if key in self._kept:
                return self._kept[key], False
            begun = self._kept[key] = begin()
            return begun, True

    def leave(self, key: Hashable, ended: Kept) -> None:
        with self._lock:
            if self._kept.get(key) is ended:
                del self._kept[key]


class _Broadcast:
    """A reply that several read. Whoever is ahead draws the next piece, the others find it kept; the call ends with
    its last reader, or at the second `until`."""

    def __init__(self, pieces: Pieces, until: float, *, over: Callable[[_Broadcast], None]) -> None:
        self._pieces = pieces
        self.until = until
        self._over = over
        self._told = Condition()
        self._said: list[str] = []
        self._drawing = False
        self._ended: ProviderError | StopIteration | None = None
        self._readers: set[_Listener] = set()
        self._closed = False

    def listen(self, until: float) -> _Listener | None:
        """None where the last reader has just gone."""
        listener = _Listener(self, until)
        with self._told:
            if self._closed:
                return None
            self._readers.add(listener)
        return listener

    def piece(self, reader: _Listener) -> str:
        """Raises StopIteration at the end and when the reader has left, ProviderError as the call did, TimedOut."""
        with self._told:
            while reader in self._readers:
                if reader.place < len(self._said):
                    return self._said[reader.place]
                if self._ended is not None:
                    raise self._ended
                if not self._drawing:
                    self._drawing = True
                    break
                if not self._told.wait(max(0.0, reader.until - monotonic())) and monotonic() >= reader.until:
                    raise TimedOut("The reply was not written in time.")
            else:
                raise StopIteration
        return self._draw()

    def _draw(self) -> str:
        ended: ProviderError | StopIteration | None = None
        said = ""
        try:
            said = next(self._pieces)
        except (StopIteration, ProviderError) as exc:
            ended = exc
        with self._told:
            self._drawing = False
            if ended is None:
                self._said.append(said)
            else:
                self._ended = ended
            self._told.notify_all()
        if ended is not None:
            self._over(self)
            raise ended
        return said

    def leave(self, reader: _Listener) -> None:
        """Also from another thread than the one that reads. Harmless twice."""
        with self._told:
            last = self._readers == {reader}
            self._readers.discard(reader)
            self._closed = self._closed or last
            self._told.notify_all()
        if last:
            self._pieces.close()
            self._over(self)


class _Listener:
    """One reader of a broadcast, until a second of the clock."""

    def __init__(self, broadcast: _Broadcast, until: float) -> None:
        self._broadcast = broadcast
        self.until = until
        self.place = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        said = self._broadcast.piece(self)
        self.place += 1
        return said

    def close(self) -> None:
        self._broadcast.leave(self)
