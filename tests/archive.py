"""A home folder with everything that `index` needs, over the real Chroma, and what a reader would see of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from qandai.adapters.chroma_shelf import ChromaShelf
from qandai.adapters.chroma_store import ChromaStore
from qandai.adapters.vault import VectorVault
from qandai.ensemble import model_of
from qandai.ingest.indexing import Indexer
from qandai.model import Person, Transcript
from qandai.ports import Recipe
from tests.build import talk
from tests.fakes import BagOfWordsEmbedder, MemoryPeople, MemoryTranscripts

T = TypeVar("T")

TOPICS = "sails ropes anchors knots tides charts winds harbours keels masts lamps oars".split()


def topical(video_id: str, *, start: int = 0, count: int = 12, title: str = "A talk") -> Transcript:
    """A talk of `count` sentences, each about one topic and a number of its own."""
    sentences = [
        f"Here we speak of {TOPICS[at % len(TOPICS)]} and of number {at}, which takes a good many words to explain."
        for at in range(start, start + count)
    ]
    return talk(video_id, *sentences, title=title)


class Archive:
    def __init__(self, folder: Path, *, slug: str = "ann") -> None:
        self.folder = folder
        self.slug = slug
        self.transcripts = MemoryTranscripts()
        self.embedder = BagOfWordsEmbedder()
        self.store = ChromaStore(folder, grace=0)
        self.chars = 300

    def indexer(self, **changed: Any) -> Indexer:
        return Indexer(
            **{
                "people": MemoryPeople(Person(self.slug, "Ann")),
                "transcripts": self.transcripts,
                "store": self.store,
                "vault": VectorVault(self.folder / "vectors"),
                "embedders_of": lambda _: (self.embedder,),
                "recipe_of": lambda embedders: Recipe(model_of(embedders), self.chars, 0),
                **changed,
            }
        )

    def add(self, *transcripts: Transcript) -> None:
        for transcript in transcripts:
            self.transcripts.write(self.slug, transcript)

    def remove(self, video_id: str) -> None:
        del self.transcripts.kept[self.slug, video_id]

    @property
    def recipe(self) -> Recipe:
        return Recipe(self.embedder.model, self.chars, 0)

    @property
    def generation(self) -> Path:
        pointer = self.store.generations(self.slug).current()
        assert pointer is not None
        return self.folder / self.slug / pointer.generation

    def read(self, look: Callable[[ChromaShelf], T]) -> T:
        shelf = self.store.open(self.slug, self.recipe)
        try:
            return look(shelf)
        finally:
            shelf.close()


def texts(shelf: ChromaShelf) -> Sequence[str]:
    return tuple(shelf.texts)
