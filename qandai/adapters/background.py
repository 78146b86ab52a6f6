"""A thread with an event loop, on which calls to models run: so any call can be ended at its second, and by anyone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import aclosing, suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from qandai.errors import ProviderError, TimedOut

Made = TypeVar("Made")
Work = Coroutine[Any, Any, Made]

_GRACE = 0.05  # seconds after which whoever waits goes on, whether or not the loop has ended the call
_LAST = 2.0  # seconds for what is under way when all ends


class Background:
    """Threads share it. It begins with the first call."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._closed = False
        self._last: list[Callable[[], Work[None]]] = []

    def at_close(self, work: Callable[[], Work[None]]) -> None:
        """Is done on the loop when all ends."""
        self._last.append(work)

    def run(self, work: Callable[[], Work[Made]], seconds: float, who: str) -> Made:
        """Waits for what `work` makes; it is ended when the seconds are over. Raises TimedOut, which names `who`, and
        what the work raises."""
        future = self.begin(lambda: _within(work, seconds))
        try:
            return future.result(seconds + _GRACE)
        except TimeoutError as exc:
            raise late(who, seconds) from exc
        except CancelledError as exc:
            raise _ending() from exc
        finally:
            future.cancel()

    def begin(self, work: Callable[[], Work[Made]]) -> Future[Made]:
        """Raises ProviderError where all has ended."""
        with self._lock:
            if self._closed:
                raise _ending()
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, name="models", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work(), self._loop)

    def close(self) -> None:
        """Ends every call. Harmless twice."""
        with self._lock:
            closed, self._closed = self._closed, True
            loop, thread = self._loop, self._thread
        if closed or loop is None or thread is None:
            return
        ended = asyncio.run_coroutine_threadsafe(self._end(), loop)
        with suppress(TimeoutError):
            ended.result(_LAST)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_LAST)
        if not thread.is_alive():
            loop.close()

    async def _end(self) -> None:
        under_way = asyncio.all_tasks() - {asyncio.current_task()}
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await asyncio.gather(*(work() for work in self._last), return_exceptions=True)
        await asyncio.get_running_loop().shutdown_asyncgens()


class Following:
    """Pieces of text that are made on the loop. It begins at once."""

    def __init__(
        self,
        background: Background,
        pieces: Callable[[], AsyncGenerator[str]],
        seconds: float,
        who: str,
        *,
        first: float | None = None,
    ) -> None:
        """`first`: seconds until the first piece, where less than for all."""
        begins = seconds if first is None else min(first, seconds)
        self._queue: SimpleQueue[str | ProviderError | None] = SimpleQueue()
        self._until = monotonic() + begins  # the next piece, or the end
        self._end = monotonic() + seconds
        self._late = late(who, begins)
        self._late_end = late(who, seconds)
        self._over = False
        self._future: Future[None] | None = None
        try:
            self._future = background.begin(lambda: self._follow(pieces, begins, seconds))
        except ProviderError as error:
            self._queue.put(error)

    def __iter__(self) -> Following:
        return self

    def __next__(self) -> str:
        if self._over:
            raise StopIteration
        try:
            item = self._queue.get(timeout=max(0.0, self._until - monotonic()) + _GRACE)
        except Empty:
            item = self._late
        if isinstance(item, str):
            self._until, self._late = self._end, self._late_end
            return item
        self.close()
        if item is None:
            raise StopIteration
        raise item

    def close(self) -> None:
        """Also from another thread than the one that waits for a piece."""
        self._over = True
        self._queue.put(None)
        if self._future is not None:
            self._future.cancel()

    async def _follow(self, pieces: Callable[[], AsyncGenerator[str]], first: float, seconds: float) -> None:
        end: ProviderError | None = ProviderError("The reply broke off.")
        try:
            last = asyncio.get_running_loop().time() + seconds
            async with asyncio.timeout(first) as limit, aclosing(pieces()) as made:
                async for piece in made:
                    limit.reschedule(last)
                    self._queue.put(piece)
            end = None
        except TimeoutError:
            end = self._late
        except ProviderError as error:
            end = error
        except asyncio.CancelledError:
            end = _ending()  # nobody hears it who ended the reply himself
            raise
        finally:
            self._queue.put(end)


async def _within(work: Callable[[], Work[Made]], seconds: float) -> Made:
    async with asyncio.timeout(seconds):
        return await work()


def late(who: str, seconds: float) -> TimedOut:
    return TimedOut(f"{who} did not answer within {seconds:.3g} seconds.")


def _ending() -> ProviderError:
    return ProviderError("The call was ended before there was a reply.")
