"""Lending shelves while new generations arrive, break, and go."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable

import pytest

from qandai.adapters.shelves import RETRY, OpenShelves
from qandai.errors import NotReady, StoreBroken, StoreStale, UnknownPerson
from qandai.model import Person
from tests.build import row
from tests.fakes import MemoryPeople, MemoryShelf

ANN, BO = Person("ann", "Ann"), Person("βο", "Βο")


class Closable(MemoryShelf):
    def __init__(self, text: str) -> None:
        super().__init__(row(text).whole())
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


class ScriptedShop:
    """`offer` moves the pointer; what is offered is a shelf or the error that opening it raises."""

    def __init__(self) -> None:
        self.offered: dict[str, Closable | Exception] = {}
        self.moves: dict[str, int] = {}
        self.opened = 0
        self.writers: dict[str, str] = {}

    def offer(self, slug: str, what: Closable | Exception) -> None:
        self.offered[slug] = what
        self.moves[slug] = self.moves.get(slug, 0) + 1

    def open(self, slug: str) -> Closable:
        self.opened += 1
        what = self.offered.get(slug, NotReady(f"{slug} is not indexed yet.", hint=f"Run: qandai index {slug}"))
        if isinstance(what, Exception):
            raise what
        return what

    def signature(self, slug: str) -> object:
        return self.moves.get(slug)

    def writer(self, slug: str) -> str | None:
        return self.writers.get(slug)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def site(*people: Person) -> tuple[OpenShelves, ScriptedShop]:
    shop = ScriptedShop()
    return OpenShelves(MemoryPeople(*people), shop, clock=Clock()), shop


def followed(*people: Person, every: float = 0.01) -> tuple[OpenShelves, ScriptedShop]:
    shop = ScriptedShop()
    return OpenShelves(MemoryPeople(*people), shop, every=every), shop


def eventually(claim: Callable[[], bool]) -> bool:
    done = threading.Event()
    return any(claim() or done.wait(0.01) for _ in range(500))


def test_the_first_question_opens_a_shelf_and_the_next_finds_it_open() -> None:
    shelves, shop = site(ANN)
    shop.offer("ann", Closable("so it goes"))
    for _ in range(3):
        with shelves.borrow("ann") as shelf:
            assert shelf.texts == ["so it goes"]
    assert shop.opened == 1


def test_a_new_generation_is_swapped_in_and_the_old_one_closed_after_its_last_reader() -> None:
    shelves, shop = site(ANN)
    old, new = Closable("old"), Closable("new")
    shop.offer("ann", old)
    shelves.look()
    with shelves.borrow("ann") as reading:
        with shelves.borrow("ann"):
            shop.offer("ann", new)
            shelves.look()
            with shelves.borrow("ann") as fresh:
                assert fresh is new
            assert old.closed == 0
        assert reading.texts == ["old"]
        assert old.closed == 0
    assert old.closed == 1
    assert new.closed == 0


def test_an_old_generation_nobody_reads_is_closed_at_once() -> None:
    shelves, shop = site(ANN)
    old = Closable("old")
    shop.offer("ann", old)
    shelves.look()
    shop.offer("ann", Closable("new"))
    shelves.look()
    assert old.closed == 1


def test_a_new_generation_that_cannot_be_opened_leaves_the_old_one_in_use() -> None:
    shelves, shop = site(ANN)
    shop.offer("ann", Closable("old"))
    shelves.look()
    shop.offer("ann", StoreBroken("The index of ann is damaged."))
    shelves.look()
    with shelves.borrow("ann") as shelf:
        assert shelf.texts == ["old"]
    assert shelves.states()["ann"].state == "ready"


@pytest.mark.parametrize("error", [StoreStale("stale", hint="Run: x"), StoreBroken("broken"), RuntimeError("surprise")])
def test_one_person_whose_shelf_fails_never_stops_the_others(error: Exception) -> None:
    shelves, shop = site(ANN, BO)
    shop.offer("ann", error)
    shop.offer("βο", Closable("fine"))
    shelves.look()
    states = shelves.states()
    assert (states["ann"].state, states["βο"].state, states["βο"].passages) == ("failed", "ready", 1)
    assert str(error).split()[0] in (states["ann"].reason or "")


def test_a_failed_shelf_is_tried_again_when_its_pointer_moves_and_now_and_then() -> None:
    clock = Clock()
    shop = ScriptedShop()
    shelves = OpenShelves(MemoryPeople(ANN), shop, clock=clock)
    shop.offer("ann", StoreBroken("broken"))
    for _ in range(5):
        shelves.look()
    assert shop.opened == 1
    clock.now += RETRY
    shelves.look()
    assert shop.opened == 2
    shop.offer("ann", Closable("mended"))
    shelves.look()
    assert shelves.states()["ann"].state == "ready"


def test_a_person_who_is_being_indexed_is_not_failed() -> None:
    shelves, shop = site(ANN, BO)
    shop.writers["ann"] = "qandai index ann"
    shelves.look()
    assert shelves.states()["ann"].state == "indexing"
    assert shelves.states()["βο"].state == "failed"
    shelves.await_index(["βο"])
    shelves.look()
    assert shelves.states()["βο"].state == "indexing"
    shelves.await_index([])
    shelves.look()
    assert "qandai index βο" in (shelves.states()["βο"].reason or "")


def test_an_index_beside_an_open_shelf_leaves_it_ready() -> None:
    shelves, shop = site(ANN)
    shop.offer("ann", Closable("here"))
    shop.writers["ann"] = "qandai index ann"
    shelves.look()
    assert shelves.states()["ann"].state == "ready"


def test_an_unknown_person_is_unknown_and_one_without_an_index_not_ready() -> None:
    shelves, _ = site(ANN)
    with pytest.raises(UnknownPerson), shelves.borrow("nobody"):
        pass
    with pytest.raises(NotReady), shelves.borrow("ann"):
        pass


def test_a_person_who_leaves_is_closed_and_forgotten() -> None:
    shop = ScriptedShop()
    people = {"ann": ANN}

    class Changing(MemoryPeople):
        def slugs(self) -> tuple[str, ...]:
            return tuple(people)

    shelves = OpenShelves(Changing(ANN), shop)
    shelf = Closable("here")
    shop.offer("ann", shelf)
    shelves.look()
    people.clear()
    shelves.look()
    assert (shelf.closed, shelves.states()) == (1, {})


def test_a_forgotten_index_is_no_longer_read() -> None:
    shelves, shop = site(ANN)
    shelf = Closable("here")
    shop.offer("ann", shelf)
    shelves.look()
    shop.offered.pop("ann")
    shop.moves["ann"] += 1
    shelves.look()
    assert shelf.closed == 1
    assert shelves.states()["ann"].state == "failed"


def test_a_started_site_answers_for_itself_and_sees_who_comes() -> None:
    shelves, shop = followed(ANN)
    shelves.start()
    try:
        shop.offer("ann", Closable("first"))
        assert eventually(lambda: shelves.states()["ann"].state == "ready")
        shop.offer("ann", Closable("second"))

        def second() -> bool:
            with shelves.borrow("ann") as shelf:
                return shelf.texts == ["second"]

        assert eventually(second)
    finally:
        shelves.close()


def test_what_questions_leave_in_memory_goes_back_each_minute() -> None:
    minutes = itertools.count(step=61.0)
    tidied = threading.Event()
    shelves = OpenShelves(MemoryPeople(), ScriptedShop(), every=0.001, clock=lambda: next(minutes), tidy=tidied.set)
    shelves.start()
    try:
        assert tidied.wait(5)
    finally:
        shelves.close()


def test_every_shelf_is_closed_once_whatever_readers_and_swaps_do() -> None:
    shelves, shop = followed(ANN, every=0.001)
    made = [Closable(f"generation {number}") for number in range(30)]
    shop.offer("ann", made[0])
    shelves.look()
    shelves.start()
    stop = threading.Event()
    wrong: list[str] = []

    def read() -> None:
        while not stop.is_set():
            with shelves.borrow("ann") as shelf:
                if shelf.closed:  # type: ignore[attr-defined]
                    wrong.append("closed under a reader")

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for shelf in made[1:]:
        shop.offer("ann", shelf)
        stop.wait(0.003)
    assert eventually(lambda: shop.offered["ann"] is made[-1] and shelves.states()["ann"].state == "ready")
    stop.set()
    for reader in readers:
        reader.join()
    shelves.close()
    assert not wrong
    assert {shelf.closed for shelf in made} <= {0, 1}
