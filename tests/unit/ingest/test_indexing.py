"""The story of `index` over stand-ins: when it starts from nothing, what it embeds, and what a change is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from qandai.ensemble import model_of
from qandai.errors import ModelMissing, ProviderError, StoreBroken, StoreStale
from qandai.ingest.indexing import Indexer, fingerprint, signs_of
from qandai.model import Person
from qandai.ports import Embedder, Leaf, Reading, Recipe, Signs, Vectors
from qandai.signs import pack
from tests.build import talk
from tests.fakes import BagOfWordsEmbedder, MemoryPeople, MemoryTranscripts

TALK = talk("a", "So it goes on.", "And then it ends.")


class MemoryStore:
    """Keeps what was committed. `faults` are raised, one at each opening."""

    def __init__(self, *faults: Exception | None) -> None:
        self.faults = list(faults)
        self.kept: dict[str, tuple[str, Sequence[Leaf], Vectors]] = {}
        self.opened: list[tuple[Recipe, bool]] = []

    @contextmanager
    def writing(self, slug: str, recipe: Recipe, *, rebuild: bool = False) -> Iterator[MemoryWriter]:
        self.opened.append((recipe, rebuild))
        fault = self.faults.pop(0) if self.faults else None
        if fault:
            raise fault
        yield MemoryWriter(self, {} if rebuild else dict(self.kept))


class MemoryWriter:
    def __init__(self, store: MemoryStore, draft: dict[str, tuple[str, Sequence[Leaf], Vectors]]) -> None:
        self._store = store
        self._draft = draft

    @property
    def held(self) -> Mapping[str, str]:
        return {video_id: kept[0] for video_id, kept in self._draft.items()}

    @property
    def passages(self) -> int:
        return sum(len(leaves) for _, leaves, _ in self._draft.values())

    def put(self, leaves: Sequence[Leaf], vectors: Vectors, *, fingerprint: str) -> None:
        self._draft[leaves[0].passage.video.id] = (fingerprint, leaves, vectors)

    def drop(self, video_id: str) -> None:
        del self._draft[video_id]

    def commit(self) -> bool:
        changed = self._store.kept != self._draft
        self._store.kept = self._draft
        return changed


class NoVault:
    def passages(self, embedder: Embedder, video_id: str, texts: Sequence[str]) -> Vectors:
        return embedder.passages(texts)

    def signs(self, embedder: Embedder, video_id: str, texts: Sequence[str]) -> Sequence[Signs]:
        return [pack(reading.words) for reading in embedder.read_passages(texts)]


def indexer(
    store: MemoryStore,
    *,
    talks: Sequence[object] = (TALK,),
    embedder: Embedder | None = None,
    chars: int = 300,
    topics: bool = False,
) -> Indexer:
    transcripts = MemoryTranscripts()
    for one in talks:
        transcripts.write("ann", one)  # type: ignore[arg-type]
    return Indexer(
        MemoryPeople(Person("ann", "Ann")),
        transcripts,
        store,
        NoVault(),
        lambda _: (embedder or BagOfWordsEmbedder(),),
        lambda embedders: Recipe(model_of(embedders), chars, 0, "topics" if topics else "sentences"),
        clock=iter(range(100)).__next__,
    )


def test_passages_and_sentences_get_the_vectors_of_their_texts() -> None:
    store, embedder = MemoryStore(), BagOfWordsEmbedder()
    indexer(store, embedder=embedder).index("ann")
    _, leaves, vectors = store.kept["a"]
    for leaf, vector in zip(leaves, vectors, strict=True):
        assert np.array_equal(vector, embedder.query(leaf.passage.text))
        assert np.array_equal(leaf.signs, pack(embedder.read_query(leaf.passage.text).words))
        for sentence, own in zip(leaf.sentences, leaf.vectors, strict=True):
            assert np.array_equal(own, embedder.query(sentence.text))


def test_words_of_several_models_stand_side_by_side_unless_one_of_them_tells_none() -> None:
    class Whole(BagOfWordsEmbedder):
        def read_passages(self, texts: Sequence[str]) -> list[Reading]:
            return [Reading(vector, np.zeros((0, self.dimension), np.float32)) for vector in self.passages(texts)]

    models = BagOfWordsEmbedder(dimension=16), BagOfWordsEmbedder(dimension=64)
    (both,) = signs_of(models, NoVault(), "a", ["old boats leak"])
    assert both.shape == (3, 2 + 8)
    assert np.array_equal(both[:, 2:], pack(models[1].read_query("old boats leak").words))
    (none,) = signs_of((*models, Whole()), NoVault(), "a", ["old boats leak"])
    assert len(none) == 0


def test_passages_may_end_where_the_talk_turns_and_the_collection_says_so() -> None:
    boats, bread = ("Old boats leak a lot.", "A lot leak, old boats."), ("Bread wants an oven.", "An oven wants bread.")
    store, embedder = MemoryStore(), BagOfWordsEmbedder(dimension=512)
    indexer(store, talks=(talk("a", *boats, *bread),), embedder=embedder, chars=45, topics=True).index("ann")
    _, leaves, vectors = store.kept["a"]
    assert [leaf.passage.text for leaf in leaves] == [" ".join(boats), " ".join(bread)]
    assert np.array_equal(vectors, embedder.passages([leaf.passage.text for leaf in leaves]))
    assert [recipe.passage_cut for recipe, _ in store.opened] == ["topics"]
    assert [len(leaf.sentences) for leaf in leaves] == [2, 2]


def test_a_broken_collection_is_made_anew_and_said_to_be() -> None:
    store = MemoryStore(StoreBroken("The index of ann is damaged."))
    report = indexer(store).index("ann")
    assert [rebuild for _, rebuild in store.opened] == [False, True]
    assert (report.mended, report.added) == ("The index of ann is damaged.", ("a",))


def test_one_that_cannot_be_made_anew_either_is_an_error() -> None:
    store = MemoryStore(StoreBroken("first"), StoreBroken("second"))
    with pytest.raises(StoreBroken, match="second"):
        indexer(store).index("ann")
    assert len(store.opened) == 2


def test_a_stale_collection_is_never_rebuilt_silently() -> None:
    store = MemoryStore(StoreStale("stale"))
    with pytest.raises(StoreStale):
        indexer(store).index("ann")
    assert len(store.opened) == 1


def test_an_embedder_that_fails_stops_the_run() -> None:
    class Failing(BagOfWordsEmbedder):
        def passages(self, texts: Sequence[str]) -> Vectors:
            raise ProviderError("gone")

    store = MemoryStore()
    with pytest.raises(ProviderError):
        indexer(store, embedder=Failing()).index("ann")
    assert store.kept == {}


def test_passages_that_are_longer_than_what_is_read_of_them_are_counted_when_they_are_written() -> None:
    short = indexer(MemoryStore(), embedder=BagOfWordsEmbedder(most_words=3))
    assert short.index("ann").overlong == {"bag-of-words": 1}
    assert short.index("ann").overlong == {}
    assert indexer(MemoryStore()).index("ann").overlong == {}


def test_a_model_that_is_gone_does_not_stop_what_needs_no_model() -> None:
    class Gone(BagOfWordsEmbedder):
        def overlong(self, texts: Sequence[str]) -> int:
            raise ModelMissing("gone")

    report = indexer(MemoryStore(), embedder=Gone()).index("ann")
    assert (report.added, report.overlong) == (("a",), {})


def test_the_run_is_timed() -> None:
    assert indexer(MemoryStore()).index("ann").seconds == 1


def test_whatever_is_stored_of_a_transcript_is_in_its_fingerprint() -> None:
    word = TALK.words[2]
    changes = [
        replace(TALK, video=replace(TALK.video, title="Another")),
        replace(TALK, video=replace(TALK.video, published=None)),
        replace(TALK, video=replace(TALK.video, language="el")),
        replace(TALK, words=TALK.words[:-1]),
        *(
            replace(TALK, words=(*TALK.words[:2], changed, *TALK.words[3:]))
            for changed in (
                replace(word, text="gone"),
                replace(word, start=word.start + 0.001),
                replace(word, end=word.end + 0.001),
                replace(word, exact=False),
                replace(word, turn=True),
                replace(word, speaker="Ann"),
                replace(word, glued=True),
            )
        ),
    ]
    prints = {fingerprint(TALK, "en"), fingerprint(TALK, "el"), *(fingerprint(change, "en") for change in changes)}
    assert len(prints) == 2 + len(changes)


def test_what_is_not_stored_is_not() -> None:
    assert fingerprint(replace(TALK, segments=(), repairs={"loop": 1}), "en") == fingerprint(TALK, "en")
