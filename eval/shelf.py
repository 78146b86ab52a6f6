"""An archive in memory, as the real ranking reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from qandai.ensemble import Ensemble
from qandai.errors import UnknownPerson
from qandai.ingest.indexing import embed
from qandai.ingest.speakers import rows as rows_of
from qandai.model import Coverage, Person, Transcript, Video
from qandai.passages import Passage, cut
from qandai.ports import Leaf, Place, Shelf, ShelfState, Vault, Vectors
from qandai.settings import Settings


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

    @property
    def coverage(self) -> Coverage:
        dates = sorted(video.published for video in self.videos.values() if video.published)
        seconds = sum(leaf.passage.end - leaf.passage.start for leaf in self.leaves)
        since, until = (dates[0], dates[-1]) if dates else (None, None)
        return Coverage(len(self.videos), len(self.leaves), seconds / 3600, since, until, indexed_at=None)

    def read(self, indices: Sequence[int]) -> tuple[Leaf, ...]:
        return tuple(self.leaves[index] for index in indices)

    def sentence_vectors(self, indices: Sequence[int]) -> tuple[Vectors, ...]:
        return tuple(self.leaves[index].vectors for index in indices)


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


def passages_of(
    transcripts: Sequence[Transcript], settings: Settings, *, language: str
) -> Mapping[str, tuple[Passage, ...]]:
    """The passages of each recording, as the index cuts them."""
    return {
        transcript.video.id: tuple(
            passage
            for row in rows_of(transcript)
            for passage in cut(
                row,
                chars=settings.passage_chars,
                overlap=settings.passage_overlap,
                language=transcript.video.language or language,
            )
        )
        for transcript in sorted(transcripts, key=lambda transcript: transcript.video.id)
        if transcript.words
    }


def build(
    passages: Mapping[str, Sequence[Passage]],
    *,
    embedders: Ensemble,
    vault: Vault,
    topics: bool = False,
    step: Callable[[int], object] = lambda _: None,
) -> MemoryShelf:
    """Embeds passages and sentences as the index does, into its own cache, with a call of `step` with the number of
    passages after each recording. `topics`: joins the passages that are about the same. Raises ProviderError."""
    leaves: list[Leaf] = []
    rows: list[Vectors] = [np.zeros((0, sum(embedder.dimension for embedder in embedders)), np.float32)]
    for video_id, cut_up in passages.items():
        found, vectors = embed(cut_up, video_id, embedders, vault, topics=topics)
        leaves += found
        rows.append(vectors)
        step(len(cut_up))
    return MemoryShelf(leaves, np.concatenate(rows))
