"""A site that reads while others write: new generations, new persons, broken ones, and no wrong answer meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qandai.adapters.chroma_store import ChromaShop
from qandai.adapters.shelves import OpenShelves
from qandai.errors import StoreStale
from qandai.model import Person
from tests.archive import Archive, topical
from tests.fakes import BagOfWordsEmbedder, MemoryPeople


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)


@pytest.fixture
def shelves(archive: Archive) -> Iterator[OpenShelves]:
    people = MemoryPeople(Person("ann", "Ann"), Person("βο", "Βο"))
    opened = OpenShelves(people, ChromaShop(archive.store, lambda _: archive.recipe), every=0.05)
    opened.start()
    yield opened
    opened.close()


def within(seconds: float, claim: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if claim():
            return True
        time.sleep(0.02)
    return False


def videos(shelves: OpenShelves, slug: str = "ann") -> list[str]:
    if shelves.states()[slug].state != "ready":
        return []
    with shelves.borrow(slug) as shelf:
        return list(shelf.videos)


def test_a_person_is_there_within_seconds_of_the_first_index(archive: Archive, shelves: OpenShelves) -> None:
    assert within(5, lambda: shelves.states()["ann"].state == "failed")
    assert "qandai index ann" in (shelves.states()["ann"].reason or "")
    archive.add(topical("a"))
    archive.indexer().index("ann")
    assert within(5, lambda: videos(shelves) == ["a"])


def test_readers_see_the_old_or_the_new_and_never_a_mixture(archive: Archive, shelves: OpenShelves) -> None:
    archive.add(topical("a", count=60))
    archive.indexer().index("ann")
    assert within(5, lambda: videos(shelves) == ["a"])
    stop = threading.Event()
    wrong: list[str] = []
    seen: set[str] = set()

    def read() -> None:
        while not stop.is_set():
            with shelves.borrow("ann") as shelf:
                seen.add(shelf.generation)
                titles = {video.title for video in shelf.videos.values()}
                leaves = shelf.read(range(0, len(shelf.places), 7))
                if len(titles) != 1 or {leaf.passage.video.title for leaf in leaves} != titles:
                    wrong.append(f"{shelf.generation}: {titles}")
                if [leaf.passage.text for leaf in leaves] != list(shelf.texts[::7]):
                    wrong.append(f"{shelf.generation}: texts")

    readers = [threading.Thread(target=read) for _ in range(6)]
    for reader in readers:
        reader.start()
    for turn in range(5):
        archive.add(topical("a", count=60 + turn, title=f"Turn {turn}"), topical(f"b{turn}", title=f"Turn {turn}"))
        for older in range(turn):
            archive.add(topical(f"b{older}", title=f"Turn {turn}"))
        archive.indexer().index("ann")
        newest = archive.generation.name
        assert within(5, lambda newest=newest: newest in seen)  # type: ignore[misc]
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert len(seen) >= 5


def test_a_stale_person_is_failed_with_the_command_and_the_other_is_ready(archive: Archive) -> None:
    other = Archive(archive.folder, slug="βο")
    other.embedder = BagOfWordsEmbedder(model="another")
    for one in (archive, other):
        one.add(topical("a"))
        one.indexer().index(one.slug)
    people = MemoryPeople(Person("ann", "Ann"), Person("βο", "Βο"))
    shelves = OpenShelves(people, ChromaShop(archive.store, lambda _: archive.recipe))
    shelves.look()
    assert shelves.states()["ann"].state == "ready"
    assert "qandai index βο --rebuild" in (shelves.states()["βο"].reason or "")
    with pytest.raises(StoreStale), shelves.borrow("βο"):
        pass
    shelves.close()


def test_a_person_who_is_written_for_the_first_time_is_indexing(archive: Archive, shelves: OpenShelves) -> None:
    with archive.store.writing("ann", archive.recipe):
        assert within(5, lambda: shelves.states()["ann"].state == "indexing")
