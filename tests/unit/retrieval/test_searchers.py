from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from weakref import ref

from qandai.retrieval.searcher import Searchers
from tests.build import row
from tests.fakes import MemoryShelf


def shelf(text: str) -> MemoryShelf:
    return MemoryShelf(row(text).whole())


def test_questions_to_two_generations_at_once_build_each_searcher_once() -> None:
    searchers = Searchers()
    old, new = shelf("Bees dance to tell where flowers grow."), shelf("Bees dance no more.")
    first, second = searchers.of(old, width=1), searchers.of(new, width=1)
    assert first is not second
    for _ in range(3):
        assert searchers.of(old, width=1) is first
        assert searchers.of(new, width=1) is second


def test_visitors_who_come_together_share_one() -> None:
    searchers = Searchers()
    one = shelf("Bees dance to tell where flowers grow.")
    together = threading.Barrier(8)

    def ask(_: int) -> int:
        together.wait()
        return id(searchers.of(one, width=1))

    with ThreadPoolExecutor(8) as visitors:
        assert len(set(visitors.map(ask, range(8)))) == 1


def test_what_was_worked_out_goes_with_its_shelf() -> None:
    searchers = Searchers()
    old = shelf("Bees dance to tell where flowers grow.")
    worked_out = ref(searchers.of(old, width=1))
    assert worked_out() is not None
    del old
    gc.collect()
    assert worked_out() is None
