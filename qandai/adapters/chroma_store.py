"""The collections of all persons in one folder: written generation by generation, read through shelves."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from qandai.adapters.chroma import Collection, create, open_collection
from qandai.adapters.chroma_shelf import ChromaShelf, Contents, check_recipe, describe, load
from qandai.adapters.durable import can_grow
from qandai.adapters.generations import GRACE, Generations, mend
from qandai.adapters.records import records
from qandai.errors import DiskFull, NotReady, StoreBroken, StoreError
from qandai.ports import Leaf, Recipe, Vectors

EXHAUSTIVE = 10_000
"""Up to here the verification asks Chroma's index for every passage at once; above, for a sample."""

_SAMPLE = 100


class ChromaStore:
    """The `PassageStore` port over `store/`. `command` is what a second writer is told that the first one runs."""

    def __init__(
        self,
        folder: Path,
        *,
        command: str = "qandai index",
        free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        grace: float = GRACE,
    ) -> None:
        self._folder = folder
        self._command = command
        self._free = free
        self._now = now
        self._grace = grace

    def generations(self, slug: str) -> Generations:
        return Generations(self._folder / slug, free=self._free, now=self._now, grace=self._grace)

    def open(self, slug: str, recipe: Recipe) -> ChromaShelf:
        """Raises NotReady before the first index, StoreStale, StoreBroken."""
        generations = self.generations(slug)
        pointer = generations.current()
        if pointer is None:
            raise NotReady(f"{slug} is not indexed yet.", hint=f"Run: qandai index {slug}")
        collection = open_collection(generations.sound(pointer), slug)
        try:
            return ChromaShelf(slug, collection, pointer, recipe)
        except BaseException:
            collection.close()
            raise

    @contextmanager
    def writing(self, slug: str, recipe: Recipe, *, rebuild: bool = False) -> Iterator[ChromaWriter]:
        generations = self.generations(slug)
        with _disk_faults(slug), generations.lock(self._command):
            generations.sweep()
            writer = ChromaWriter(generations, recipe, rebuild=rebuild)
            try:
                yield writer
            except StoreBroken as exc:
                if can_grow(generations.folder):
                    raise
                raise _full(slug) from exc
            finally:
                writer.close()


class ChromaShop:
    """Where `OpenShelves` gets its shelves. `recipe_of` says how a person's collection ought to have been made."""

    def __init__(self, store: ChromaStore, recipe_of: Callable[[str], Recipe]) -> None:
        self._store = store
        self._recipe_of = recipe_of

    def open(self, slug: str) -> ChromaShelf:
        return self._store.open(slug, self._recipe_of(slug))

    def signature(self, slug: str) -> object:
        return self._store.generations(slug).signature()

    def writer(self, slug: str) -> str | None:
        holder = self._store.generations(slug).holder()
        return holder.command if holder else None


class ChromaWriter:
    """The `Writer` port: a copy of the last generation, made when the first change comes."""

    def __init__(self, generations: Generations, recipe: Recipe, *, rebuild: bool) -> None:
        self._generations = generations
        self._recipe = recipe
        self._rebuild = rebuild
        self._pointer = None if rebuild else generations.current()
        self._deleted = self._pointer.deleted if self._pointer else 0
        self._dimension = 0
        self._held: dict[str, str] = {}
        self._ids: dict[str, list[str]] = {}
        self._part: Path | None = None
        self._collection: Collection | None = None
        if self._pointer:
            self._read_last(generations.sound(self._pointer), self._pointer.passages)

    @property
    def held(self) -> Mapping[str, str]:
        return dict(self._held)

    @property
    def passages(self) -> int:
        return sum(map(len, self._ids.values()))

    def put(self, leaves: Sequence[Leaf], vectors: Vectors, *, fingerprint: str) -> None:
        """Raises ValueError, before anything is written, for words that a record cannot hold."""
        rows = list(records(leaves, fingerprint=fingerprint))
        if self._dimension not in (0, vectors.shape[1]):
            raise StoreError(f"The embedder made {vectors.shape[1]} numbers a vector, before it {self._dimension}.")
        video_id = leaves[0].passage.video.id
        self.drop(video_id)
        ids, documents, metadatas = zip(*rows, strict=True)
        self._dimension = vectors.shape[1]
        self._draft().put(ids, documents, vectors, metadatas)
        self._held[video_id] = fingerprint
        self._ids[video_id] = list(ids)

    def drop(self, video_id: str) -> None:
        ids = self._ids.pop(video_id, [])
        self._held.pop(video_id, None)
        if ids:
            self._draft().delete(ids)
            self._deleted += len(ids)

    def commit(self) -> bool:
        if self._part is None and not self._rebuild:
            return False
        self._draft()
        if self._deleted > self.passages:  # Chroma's index never shrinks: half of it would be dead
            self._make_anew()
        if not self._verify() and self._deleted:
            self._make_anew()
            self._verify()
        self._draft().close()
        part, self._part, self._collection = self._part, None, None
        assert part is not None  # _draft made it
        self._generations.publish(part, passages=self.passages, deleted=self._deleted)
        self._generations.sweep()
        return True

    def close(self) -> None:
        """Throws an unfinished generation away."""
        if self._collection is not None:
            self._collection.close()
            self._collection = None
        if self._part is not None:
            shutil.rmtree(self._part, ignore_errors=True)
            self._part = None

    def _read_last(self, folder: Path, passages: int) -> None:
        slug = self._generations.slug
        collection = open_collection(folder, slug)
        try:
            check_recipe(slug, collection.metadata, self._recipe)
            contents = load(slug, collection, passages=passages)
        finally:
            collection.close()
        self._dimension = contents.vectors.shape[1]
        self._held = {video_id: head.fingerprint for video_id, head in contents.heads.items()}
        for place in contents.places:
            self._ids.setdefault(place.video_id, []).append(place.id)

    def _draft(self) -> Collection:
        if self._collection is None:
            self._part = self._generations.begin(self._pointer)
            slug = self._generations.slug
            if self._pointer:
                self._collection = open_collection(self._part, slug)
            else:
                self._collection = create(self._part, slug, describe(self._recipe, dimension=self._dimension))
        return self._collection

    def _make_anew(self) -> None:
        """The same records in a fresh collection."""
        old_part, old = self._part, self._draft()
        new_part = self._generations.begin(None)
        new = create(new_part, self._generations.slug, describe(self._recipe, dimension=self._dimension))
        try:
            for page in old.pages():
                metadata = old.fetch(page.ids)
                new.put(page.ids, page.documents, page.vectors, [metadata[record_id] for record_id in page.ids])
        finally:
            old.close()
            self._collection, self._part = new, new_part
            if old_part is not None:
                shutil.rmtree(old_part, ignore_errors=True)
        self._deleted = 0

    def _verify(self) -> bool:
        """Opens what was written as a reader will. Raises StoreBroken if anything is missing or changed; False if
        only Chroma's own index does not find everything, as happens after deletions and among equal vectors."""
        slug = self._generations.slug
        written = self._draft()
        written.describe(describe(self._recipe, dimension=self._dimension))
        written.close()
        assert self._part is not None  # _draft made it
        self._collection = open_collection(self._part, slug)
        contents = load(slug, self._collection, passages=self.passages)
        if {place.id for place in contents.places} != {one for ids in self._ids.values() for one in ids}:
            raise StoreBroken(f"The new index of {slug} holds other passages than were written.", hint=mend(slug))
        if {video_id: head.fingerprint for video_id, head in contents.heads.items()} != self._held:
            raise StoreBroken(f"The new index of {slug} holds other videos than were written.", hint=mend(slug))
        return _finds_all(self._collection, contents)


def _finds_all(collection: Collection, contents: Contents) -> bool:
    count = len(contents.places)
    if count == 0:
        return True
    if count <= EXHAUSTIVE:
        return len(set(collection.nearest(contents.vectors[0], count))) == count
    rows = {place.id: row for row, place in enumerate(contents.places)}
    for row in range(0, count, count // _SAMPLE):
        nearest = collection.nearest(contents.vectors[row], 1)
        if not nearest or contents.vectors[rows[nearest[0]]] @ contents.vectors[row] < 0.999:
            return False
    return True


@contextmanager
def _disk_faults(slug: str) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise _full(slug) from exc
        raise StoreError(f"The index of {slug} cannot be written: {exc}.") from exc


def _full(slug: str) -> DiskFull:
    return DiskFull(
        f"The disk is full: the index of {slug} cannot be written.", hint="It is as it was. Free some room."
    )
