"""A generation of a collection, read whole at opening, checked, and never changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from qandai import __version__
from qandai.adapters.chroma import Collection
from qandai.adapters.generations import Pointer, mend
from qandai.adapters.records import FORMAT, Head, Metadata, read_head, read_inside, read_leaf, read_place
from qandai.errors import StoreBroken, StoreStale
from qandai.model import Coverage, Video
from qandai.ports import Inside, Leaf, Place, Recipe, Vectors

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Contents:
    """All of a collection but the words. `places`, `texts` and `vectors` run in step, by video and position."""

    heads: Mapping[str, Head]
    places: Sequence[Place]
    texts: Sequence[str]
    vectors: Vectors

    def ids(self, video_id: str) -> list[str]:
        return [place.id for place in self.places if place.video_id == video_id]


class ChromaShelf:
    """The `Shelf` port. `model` is the embedder that its vectors came from. Close it after the last reader."""

    def __init__(self, slug: str, collection: Collection, pointer: Pointer, recipe: Recipe) -> None:
        """Raises StoreStale, StoreBroken."""
        self._slug = slug
        self._collection = collection
        self.generation = pointer.generation
        self.model = recipe.model
        check_recipe(slug, collection.metadata, recipe)
        contents = load(slug, collection, passages=pointer.passages)
        self.places = contents.places
        self.texts = contents.texts
        self.vectors = contents.vectors
        self.videos: Mapping[str, Video] = {video_id: head.video for video_id, head in contents.heads.items()}
        self.coverage = _coverage(contents, pointer)

    def read(self, indices: Sequence[int]) -> tuple[Leaf, ...]:
        dimension = self.vectors.shape[1]

        def leaf(index: int, place: Place, metadata: Metadata) -> Leaf:
            return read_leaf(self.videos[place.video_id], place, self.texts[index], metadata, dimension=dimension)

        return self._fetch(indices, leaf)

    def inside(self, indices: Sequence[int]) -> tuple[Inside, ...]:
        dimension = self.vectors.shape[1]
        return self._fetch(indices, lambda _, place, metadata: read_inside(place, metadata, dimension=dimension))

    def _fetch(self, indices: Sequence[int], read: Callable[[int, Place, Metadata], _T]) -> tuple[_T, ...]:
        """What `read` makes of the records at `indices`. Raises StoreBroken."""
        places = [self.places[index] for index in indices]
        found = self._collection.fetch([place.id for place in places])
        try:
            return tuple(read(index, place, found[place.id]) for index, place in zip(indices, places, strict=True))
        except (KeyError, ValueError) as exc:
            raise StoreBroken(f"A passage of {self._slug} is damaged: {exc}.", hint=mend(self._slug)) from exc

    def close(self) -> None:
        self._collection.close()


def describe(recipe: Recipe, *, dimension: int) -> Metadata:
    """What a collection says about itself."""
    return {
        "format": FORMAT,
        "code": __version__,
        "embedder": recipe.model,
        "dimension": dimension,
        "passage_chars": recipe.passage_chars,
        "passage_overlap": recipe.passage_overlap,
        "passage_cut": recipe.passage_cut,
    }


def check_recipe(slug: str, described: Mapping[str, object], recipe: Recipe) -> None:
    """Raises StoreStale where the collection was made by other rules than it would be read by, StoreBroken where an
    older program made it."""
    made = described.get("format")
    if not isinstance(made, int) or made < FORMAT:
        raise StoreBroken(f"The index of {slug} was made by an older version of this program.", hint=mend(slug))
    if made > FORMAT:
        raise StoreStale(
            f"The index of {slug} was made by qandai {described.get('code')}, a newer version than this one.",
            hint=f"Update qandai, or run: qandai index {slug} --rebuild",
        )
    wanted = describe(recipe, dimension=0)
    for key, named in _NAMED.items():
        was = described.get(key, _UNSAID.get(key))
        if was != wanted[key]:
            raise StoreStale(
                f"{slug} was indexed with {named} {was}, the settings now say {wanted[key]}.",
                hint=mend(slug),
            )


_NAMED = {
    "embedder": "the embedder",
    "passage_chars": "QANDAI_PASSAGE_CHARS",
    "passage_overlap": "QANDAI_PASSAGE_OVERLAP",
    "passage_cut": "QANDAI_PASSAGE_CUT",
}
_UNSAID = {"passage_cut": "sentences"}  # by what was indexed before there was a choice


def load(slug: str, collection: Collection, *, passages: int) -> Contents:
    """Reads and checks a whole collection, which must hold `passages` records. Raises StoreBroken."""
    dimension = collection.metadata.get("dimension")
    count = collection.count()
    try:
        if not isinstance(dimension, int) or collection.space != "cosine":
            raise ValueError("it is not one of ours")
        if count != passages:
            raise ValueError(f"it holds {count} of {passages} passages")
        ids, texts, vectors = _read_rows(collection, count, dimension)
        heads = {head.video.id: head for head in map(read_head, collection.heads())}
        places = [read_place(record_id) for record_id in ids]
        _check_complete(heads, places)
    except ValueError as exc:
        raise StoreBroken(f"The index of {slug} is damaged: {exc}.", hint=mend(slug)) from exc
    order = sorted(range(count), key=lambda row: (places[row].video_id, places[row].first, places[row].last))
    return Contents(
        heads=dict(sorted(heads.items())),
        places=[places[row] for row in order],
        texts=[texts[row] for row in order],
        vectors=vectors[order],
    )


def _read_rows(collection: Collection, count: int, dimension: int) -> tuple[list[str], list[str], Vectors]:
    ids: list[str] = []
    texts: list[str] = []
    vectors = np.zeros((count, dimension), np.float32)
    for page in collection.pages():
        if page.vectors.shape != (len(page.ids), dimension) or len(ids) + len(page.ids) > count:
            raise ValueError("its vectors do not fit its passages")
        vectors[len(ids) : len(ids) + len(page.ids)] = page.vectors
        ids.extend(page.ids)
        texts.extend(page.documents)
    if len(ids) != count:
        raise ValueError(f"{count - len(ids)} of its passages cannot be read")
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.all(np.abs(lengths - 1) < 1e-3):  # also false for NaN
        raise ValueError("some of its vectors were changed")
    return ids, texts, vectors


def _check_complete(heads: Mapping[str, Head], places: Sequence[Place]) -> None:
    """Every video has all the passages that its head announces."""
    found: dict[str, int] = {}
    for place in places:
        found[place.video_id] = found.get(place.video_id, 0) + 1
    announced = {video_id: head.passages for video_id, head in heads.items()}
    if found != announced:
        wrong = sorted(key for key in found.keys() | announced.keys() if found.get(key) != announced.get(key))
        raise ValueError(f"passages of {', '.join(wrong[:3])} are missing")


def _coverage(contents: Contents, pointer: Pointer) -> Coverage:
    heads = contents.heads.values()
    dates = sorted(head.video.published for head in heads if head.video.published)
    seconds = sum(head.end if head.video.duration is None else head.video.duration for head in heads)
    return Coverage(
        videos=len(contents.heads),
        passages=len(contents.places),
        hours=seconds / 3600,
        since=dates[0] if dates else None,
        until=dates[-1] if dates else None,
        indexed_at=pointer.made_at,
    )
