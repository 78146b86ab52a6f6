"""An archive in memory whose sentences get their vectors when somebody reads them.

What is ranked needs the vectors of passages; what is answered needs those of the few sentences that are read. An
archive has three times as many sentences as passages, so a run asks its questions once to see what is read, embeds
that (into the index's own cache), and then measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import numpy as np

from eval.shelf import MemoryShelf
from qandai.ingest.speakers import rows
from qandai.model import Transcript
from qandai.passages import Passage, cut
from qandai.ports import Embedder, Leaf, Vault, Vectors
from qandai.settings import Settings


class LazyShelf(MemoryShelf):
    """The `Shelf` port. Vectors of sentences are zero until `fill`."""

    def __init__(self, leaves: Sequence[Leaf], vectors: Vectors) -> None:
        super().__init__(leaves, vectors)
        self._texts_of: dict[str, list[str]] = {}
        for place, text in zip(self.places, self.texts, strict=True):
            self._texts_of.setdefault(place.video_id, []).append(text)
        self._filled: dict[int, Leaf] = {}
        self._wanted: set[int] = set()

    def read(self, indices: Sequence[int]) -> tuple[Leaf, ...]:
        self._wanted.update(index for index in indices if index not in self._filled)
        return tuple(self._filled.get(index, self.leaves[index]) for index in indices)

    @property
    def wanting(self) -> int:
        """Sentences that were read without their vectors."""
        return sum(len(self.leaves[index].sentences) for index in self._wanted)

    def fill(self, embedder: Embedder, vault: Vault, step: Callable[[int], object] = lambda _: None) -> None:
        """Embeds what was read, recording by recording, with a call of `step` with the sentences done after each."""
        wanted = sorted(self._wanted)
        for video_id, group in groupby(wanted, key=lambda index: self.places[index].video_id):
            indices = list(group)
            texts = [sentence.text for index in indices for sentence in self.leaves[index].sentences]
            # The passages go along, so that the cache does not take them for out of use.
            embedded = vault.passages(embedder, video_id, texts + self._texts_of[video_id])
            at = 0
            for index in indices:
                leaf = self.leaves[index]
                count = len(leaf.sentences)
                self._filled[index] = Leaf(leaf.passage, leaf.sentences, embedded[at : at + count])
                at += count
            step(len(texts))
        self._wanted.clear()


def passages_of(
    transcripts: Sequence[Transcript], settings: Settings, *, language: str
) -> Mapping[str, tuple[Passage, ...]]:
    """The passages of each recording, as the index cuts them."""
    return {
        transcript.video.id: tuple(
            passage
            for row in rows(transcript)
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
    embedder: Embedder,
    vault: Vault,
    step: Callable[[int], object] = lambda _: None,
) -> LazyShelf:
    """Embeds the passages, with a call of `step` with their number after each recording. Raises ProviderError."""
    leaves: list[Leaf] = []
    vectors: list[Vectors] = [np.zeros((0, embedder.dimension), np.float32)]
    for video_id, cut_up in passages.items():
        vectors.append(vault.passages(embedder, video_id, [passage.text for passage in cut_up]))
        leaves += [
            Leaf(passage.span, passage.sentences, np.zeros((len(passage.sentences), embedder.dimension), np.float32))
            for passage in cut_up
        ]
        step(len(cut_up))
    return LazyShelf(leaves, np.concatenate(vectors))
