"""Fetching what a run wants: one recording after the other or, where a place allows it, several side by side.

Only fetching happens in threads. What became of a recording is entered here, in the run's own thread, as soon as it is
known: a short recording's transcript does not wait on disk for a long one's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from qandai.ingest.attempt import attempt, conclude
from qandai.ingest.outcome import Item, Outcome
from qandai.ingest.run import Run
from qandai.ports import Transcripts


def fetch_all(run: Run, items: Sequence[Item], transcripts: Transcripts) -> None:
    """What was fetched and what changed is told in the order of `items`, whichever came first. Raises DiskFull; then,
    and on Ctrl-C, what is under way is left to whoever stops the speech to text."""
    order = {item.entry.id: number for number, item in enumerate(items)}
    before = len(run.fetched), len(run.changed)
    pool = ThreadPoolExecutor(max((run.origins[item.entry.place].at_once for item in items), default=1))
    flight = _Flight(run, transcripts, pool, order)
    try:
        for item in items:
            flight.make_room(run.origins[item.entry.place].at_once)
            if run.services.is_open(item.entry.place):
                flight.begin(item)
        flight.make_room(1)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
    for told, known in zip((run.fetched, run.changed), before, strict=True):
        told[known:] = sorted(told[known:], key=order.__getitem__)


class _Flight:
    """The recordings that are under way."""

    def __init__(self, run: Run, transcripts: Transcripts, pool: ThreadPoolExecutor, order: Mapping[str, int]) -> None:
        self._run = run
        self._transcripts = transcripts
        self._pool = pool
        self._order = order
        self._under_way: dict[Future[Outcome], Item] = {}
        self._landed = 0

    def begin(self, item: Item) -> None:
        self._tell(item)
        origin = self._run.origins[item.entry.place]
        if origin.at_once > 1:
            self._under_way[self._pool.submit(origin.fetch, item, self._run.person)] = item
            return
        attempt(self._run, item, self._transcripts)  # here, where Ctrl-C reaches it
        self._landed += 1

    def make_room(self, places: int) -> None:
        """Waits until fewer than so many are under way."""
        while len(self._under_way) >= places:
            done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda one: self._order[self._under_way[one].entry.id]):
                conclude(self._run, self._under_way.pop(future), self._transcripts, future.result)
                self._landed += 1
            for item in tuple(self._under_way.values())[:1]:
                self._tell(item)

    def _tell(self, item: Item) -> None:
        self._run.watch("transcripts", self._landed, len(self._order), item.entry.title or item.entry.id)
