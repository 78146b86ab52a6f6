"""An archive in memory, as the real ranking reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from qandai.ensemble import Ensemble
from qandai.errors import UnknownPerson
from qandai.ingest.indexing import embed
from qandai.model import Coverage, Person, Transcript, Video
from qandai.ports import Inside, Leaf, Place, Recipe, Shelf, ShelfState, Vault, Vectors
from qandai.signs import width


class MemoryShelf:
    """The `Shelf` port. `leaves` run in step with `vectors`, ordered by video and position."""

    generation = "memory"

    def __init__(self, leaves: Sequence[Leaf], vectors: Vectors) -> None:
        self.leaves = tuple(leaves)
        self.vectors = vectors
        spans = [leaf.passage for leaf in self.leaves]
        self.places: Sequence[Place] = tuple(Place(span.video.id, span.first, span.last) for span in spans)
        self.texts: Sequence[str] = tuple(span.text for span in spans)
        self.videos: Mapping[str, Video] = {span.video.id: span.video for span in spans}

    def part(self, dimensions: Sequence[int], model: int) -> MemoryShelf:
        """As it would be with one of its models alone; `dimensions` are those of all of them."""
        numbers = slice(sum(dimensions[:model]), sum(dimensions[: model + 1]))
        begin = sum(map(width, dimensions[:model]))
        words = slice(begin, begin + width(dimensions[model]))
        length = np.float32(np.sqrt(len(dimensions)))  # of each part a row of length 1 holds its share
        leaves = [
            replace(leaf, vectors=leaf.vectors[:, numbers] * length, signs=leaf.signs[:, words]) for leaf in self.leaves
        ]
        return MemoryShelf(leaves, self.vectors[:, numbers] * length)

    @property
    def coverage(self) -> Coverage:
        dates = sorted(video.published for video in self.videos.values() if video.published)
        seconds = sum(leaf.passage.end - leaf.passage.start for leaf in self.leaves)
        since, until = (dates[0], dates[-1]) if dates else (None, None)
        return Coverage(len(self.videos), len(self.leaves), seconds / 3600, since, until, indexed_at=None)

    def read(self, indices: Sequence[int]) -> tuple[Leaf, ...]:
        return tuple(self.leaves[index] for index in indices)

    def inside(self, indices: Sequence[int]) -> tuple[Inside, ...]:
        return tuple(Inside(self.leaves[index].vectors, self.leaves[index].signs) for index in indices)


class OnePerson:
    """The `People` and `Shelves` ports for an archive that belongs to one person."""

    def __init__(self, person: Person, shelf: Shelf | None = None) -> None:
        self._person = person
        self._shelf = shelf

    def slugs(self) -> tuple[str, ...]:
        return (self._person.slug,)

    def get(self, slug: str) -> Person:
        if slug != self._person.slug:
            raise UnknownPerson(f"There is nobody called {slug}.")
        return self._person

    def states(self) -> Mapping[str, ShelfState]:
        return {self._person.slug: ShelfState("ready")}

    @contextmanager
    def borrow(self, slug: str) -> Iterator[Shelf]:
        self.get(slug)
        assert self._shelf is not None, "lent before it was made"
        yield self._shelf


def build(
    transcripts: Sequence[Transcript],
    *,
    language: str,
    recipe: Recipe,
    embedders: Ensemble,
    vault: Vault,
    step: Callable[[int], object] = lambda _: None,
) -> MemoryShelf:
    """Cuts and embeds as the index does, into its own cache, with a call of `step` with the number of passages after
    each recording. Raises ProviderError."""
    leaves: list[Leaf] = []
    rows: list[Vectors] = [np.zeros((0, sum(embedder.dimension for embedder in embedders)), np.float32)]
    for transcript in sorted(transcripts, key=lambda transcript: transcript.video.id):
        if transcript.words:
            found, vectors = embed(transcript, embedders, vault, recipe, language=language)
            leaves += found
            rows.append(vectors)
            step(len(found))
    return MemoryShelf(leaves, np.concatenate(rows))
