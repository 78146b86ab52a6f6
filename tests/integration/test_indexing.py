"""`index` with the real Chroma: what is embedded, what is kept, and what a reader sees of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qandai.adapters.chroma import collection_name, open_collection
from qandai.adapters.chroma_shelf import ChromaShelf, describe
from qandai.adapters.chroma_store import ChromaStore
from qandai.errors import DiskFull, NotReady, ProviderError, StoreLocked, StoreStale, TranscriptError
from qandai.signs import pack
from tests.archive import Archive, texts, topical
from tests.build import talk
from tests.fakes import BagOfWordsEmbedder


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)


def test_what_was_put_is_read_again_in_order(archive: Archive) -> None:
    archive.add(topical("b"), topical("a", start=3))
    report = archive.indexer().index("ann")
    assert (report.added, report.written, report.failed) == (("a", "b"), True, {})

    def look(shelf: ChromaShelf) -> None:
        assert list(shelf.videos) == ["a", "b"]
        assert shelf.videos["a"] == topical("a", start=3).video
        assert len(shelf.places) == report.passages == shelf.coverage.passages
        assert list(shelf.places) == sorted(shelf.places, key=lambda place: (place.video_id, place.first))
        leaves = shelf.read(range(len(shelf.places)))
        for transcript in (topical("a", start=3), topical("b")):
            words = [w for leaf in leaves if leaf.passage.video == transcript.video for w in leaf.passage.words]
            assert tuple(words) == transcript.words
        for place, text, vector, leaf in zip(shelf.places, shelf.texts, shelf.vectors, leaves, strict=True):
            assert (leaf.passage.id, leaf.passage.text) == (place.id, text)
            assert vector @ archive.embedder.query(text) == pytest.approx(1, abs=1e-6)
            for sentence, sentence_vector in zip(leaf.sentences, leaf.vectors, strict=True):
                assert sentence_vector @ archive.embedder.query(sentence.text) > 0.99
        assert [leaf.passage.id for leaf in shelf.read([3, 0])] == [shelf.places[3].id, shelf.places[0].id]
        assert shelf.read([]) == ()
        for leaf, inside in zip(leaves, shelf.inside(range(len(leaves))), strict=True):
            np.testing.assert_array_equal(inside.sentences, leaf.vectors)
            np.testing.assert_array_equal(inside.signs, leaf.signs)
            np.testing.assert_array_equal(leaf.signs, pack(archive.embedder.read_query(leaf.passage.text).words))

    archive.read(look)


def test_coverage_says_what_there_is(archive: Archive) -> None:
    one, other = topical("a"), topical("b")
    undated = replace(other, video=replace(other.video, published=None, duration=None))
    archive.add(replace(one, video=replace(one.video, duration=1800.0)), undated)
    archive.indexer().index("ann")
    coverage = archive.read(lambda shelf: shelf.coverage)
    assert (coverage.videos, coverage.since, coverage.until) == (2, "2026-03-03", "2026-03-03")
    assert coverage.hours == pytest.approx((1800 + other.words[-1].end) / 3600)
    assert coverage.indexed_at is not None


def test_with_nothing_to_do_no_generation_is_made(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    before, calls = archive.generation, archive.embedder.calls
    report = archive.indexer().index("ann")
    assert (report.unchanged, report.written, archive.generation) == (1, False, before)
    assert archive.embedder.calls == calls


def test_only_new_and_changed_recordings_are_embedded_each_in_two_calls(archive: Archive) -> None:
    archive.add(topical("a"), topical("b"))
    archive.indexer().index("ann")
    assert archive.embedder.calls == 4
    archive.embedder.embedded.clear()
    archive.add(topical("c", start=40), topical("b", count=13))
    report = archive.indexer().index("ann")
    assert (report.added, report.changed, report.unchanged) == (("c",), ("b",), 1)
    assert archive.embedder.calls == 7  # the new sentence of b is a passage of its own
    assert not any("number 1," in text for text in archive.embedder.embedded)


def test_a_new_title_costs_no_embedding(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    archive.add(topical("a", title="Another title"))
    assert archive.indexer().index("ann").changed == ("a",)
    assert archive.embedder.calls == 2  # passages with their words, and sentences
    assert archive.read(lambda shelf: shelf.videos["a"].title) == "Another title"


def test_metadata_that_went_away_is_gone(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    bare = topical("a")
    archive.add(replace(bare, video=replace(bare.video, published=None, url=None, source=None)))
    archive.indexer().index("ann")
    assert archive.read(lambda shelf: shelf.videos["a"]) == replace(bare.video, published=None, url=None, source=None)


def test_a_transcript_that_was_shortened_leaves_no_passage_behind(archive: Archive) -> None:
    archive.add(topical("a", count=12))
    archive.indexer().index("ann")
    archive.add(topical("a", count=3))
    archive.indexer().index("ann")
    assert "number 5," not in " ".join(archive.read(texts))


def test_a_removed_transcript_disappears(archive: Archive) -> None:
    archive.add(topical("a"), topical("b"))
    archive.indexer().index("ann")
    archive.remove("a")
    report = archive.indexer().index("ann")
    assert (report.removed, report.unchanged) == (("a",), 1)
    assert archive.read(lambda shelf: list(shelf.videos)) == ["b"]


def test_when_the_last_transcript_goes_the_index_is_empty(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    archive.remove("a")
    archive.indexer().index("ann")
    assert archive.read(lambda shelf: (shelf.coverage.passages, len(shelf.texts), shelf.coverage.since)) == (0, 0, None)
    archive.add(topical("b"))
    archive.indexer().index("ann")
    assert archive.read(lambda shelf: list(shelf.videos)) == ["b"]


def test_a_person_without_transcripts_is_not_ready(archive: Archive) -> None:
    report = archive.indexer().index("ann")
    assert (report.written, report.passages) == (False, 0)
    with pytest.raises(NotReady, match="qandai index ann"):
        archive.store.open("ann", archive.recipe)


def test_one_bad_transcript_never_stops_the_run_and_keeps_what_was_indexed_of_it(archive: Archive) -> None:
    archive.add(topical("a"), topical("b"))
    archive.indexer().index("ann")
    archive.transcripts.kept["ann", "a"] = TranscriptError("a.json is not JSON.")
    archive.transcripts.kept["ann", "d"] = topical("other")
    archive.add(replace(topical("silent"), words=()), topical("c"))
    report = archive.indexer().index("ann")
    assert report.added == ("c",)
    assert set(report.failed) == {"a", "d", "silent"}
    assert report.failed["a"] == "a.json is not JSON."
    assert archive.read(lambda shelf: list(shelf.videos)) == ["a", "b", "c"]


@pytest.mark.parametrize("slug", ["βο", "bo", "jo-hn", "ελένη-2", "a" * 64])
def test_greek_and_two_letter_slugs_work(tmp_path: Path, slug: str) -> None:
    archive = Archive(tmp_path, slug=slug)
    archive.add(topical("a"))
    archive.indexer().index(slug)
    assert archive.read(lambda shelf: list(shelf.videos)) == ["a"]


def test_slugs_that_look_alike_in_ascii_have_names_of_their_own() -> None:
    names = {collection_name(slug) for slug in ("βο", "γο", "bo", "bó", "")}
    assert len(names) == 5
    assert all(name.isascii() and 3 <= len(name) <= 512 for name in names)


def test_another_embedder_is_refused_with_the_command_that_rebuilds(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    archive.embedder = BagOfWordsEmbedder(model="another", dimension=32)
    for attempt in (lambda: archive.indexer().index("ann"), lambda: archive.store.open("ann", archive.recipe)):
        with pytest.raises(StoreStale, match=r"bag-of-words.*another.*qandai index ann --rebuild"):
            attempt()
    assert archive.embedder.calls == 0
    archive.indexer().index("ann", rebuild=True)
    assert archive.read(lambda shelf: shelf.vectors.shape[1]) == 32


def test_other_passage_settings_are_refused_and_a_rebuild_embeds_only_new_texts(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    archive.chars = 900
    with pytest.raises(StoreStale, match=r"QANDAI_PASSAGE_CHARS 300.*900.*--rebuild"):
        archive.indexer().index("ann")
    archive.indexer().index("ann", rebuild=True)
    archive.chars = 300
    calls = archive.embedder.calls
    archive.indexer().index("ann", rebuild=True)
    assert archive.embedder.calls == calls


def test_a_long_talk_is_embedded_once(archive: Archive) -> None:
    """Of more sentences, which are read first, than are kept beside the passages."""
    archive.add(talk("a", *(f"We sold {number} boats." for number in range(2500))))
    recipe = replace(archive.recipe, passage_cut="topics")
    archive.indexer(recipe_of=lambda _: recipe).index("ann")
    assert len(archive.embedder.embedded) == len(set(archive.embedder.embedded))


@pytest.mark.parametrize("cut", ["sentences", "topics"])
def test_a_rebuilt_index_asks_a_service_that_tells_no_words_for_nothing(archive: Archive, cut: str) -> None:
    archive.embedder.tells_words = False
    archive.add(topical("a", count=40))
    indexer = archive.indexer(recipe_of=lambda _: replace(archive.recipe, passage_cut=cut))
    indexer.index("ann")
    calls = archive.embedder.calls
    indexer.index("ann", rebuild=True)
    assert archive.embedder.calls == calls
    assert len(archive.embedder.embedded) == len(set(archive.embedder.embedded))
    assert not list(archive.folder.rglob("*.words"))


def test_an_index_of_a_newer_program_is_refused_and_of_an_older_one_made_anew(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    made = dict(describe(archive.recipe, dimension=64))
    stamp(archive, made | {"format": 99, "code": "9.9.9"})
    with pytest.raises(StoreStale, match=r"9\.9\.9.*Update qandai"):
        archive.indexer().index("ann")
    stamp(archive, made | {"format": 0})
    report = archive.indexer().index("ann")
    assert report.mended is not None
    assert "older version" in report.mended
    assert archive.embedder.calls == 2  # passages with their words, and sentences


def stamp(archive: Archive, metadata: dict[str, str | int | float | bool]) -> None:
    collection = open_collection(archive.generation, "ann")
    collection.describe(metadata)
    collection.close()


def test_a_second_writer_is_refused_and_readers_are_not(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    with archive.store.writing("ann", archive.recipe):
        with pytest.raises(StoreLocked, match="qandai index"):
            archive.indexer().index("ann")
        assert archive.read(lambda shelf: list(shelf.videos)) == ["a"]


def test_no_room_is_said_with_the_figures_and_the_index_stays(archive: Archive) -> None:
    archive.add(topical("a"))
    archive.indexer().index("ann")
    before = archive.generation
    archive.add(topical("b"))
    full = ChromaStore(archive.folder, free=lambda _: 1_000_000)
    with pytest.raises(DiskFull, match="1 MB are free"):
        archive.indexer(store=full).index("ann")
    assert archive.generation == before
    assert archive.read(lambda shelf: list(shelf.videos)) == ["a"]


def test_when_the_embedder_fails_the_index_stays_and_the_next_run_goes_on(archive: Archive) -> None:
    class Failing(BagOfWordsEmbedder):
        def passages(self, texts: Sequence[str]) -> np.ndarray:
            if any("number 47" in text for text in texts):
                raise ProviderError("The server went away.")
            return super().passages(texts)

    archive.add(topical("a"))
    archive.indexer().index("ann")
    before = archive.generation
    archive.add(topical("b", start=20), topical("c", start=40))
    with pytest.raises(ProviderError):
        archive.indexer(embedders_of=lambda _: (Failing(),)).index("ann")
    assert archive.generation == before
    assert not list((archive.folder / "ann").glob("part-*"))
    archive.embedder.embedded.clear()
    archive.indexer().index("ann")
    assert not any("number 20" in text for text in archive.embedder.embedded)


def test_told_to_stop_it_keeps_what_is_done(archive: Archive) -> None:
    archive.add(*(topical(name) for name in "abcd"))
    asked = itertools.count()
    report = archive.indexer().index("ann", stop=lambda: next(asked) == 2)
    assert (report.stopped, report.added, report.written) == (True, ("a", "b"), True)
    assert archive.read(lambda shelf: list(shelf.videos)) == ["a", "b"]


def test_a_rebuild_that_is_stopped_does_not_replace_a_whole_index_with_half_a_one(archive: Archive) -> None:
    archive.add(*(topical(name) for name in "abcd"))
    archive.indexer().index("ann")
    asked = itertools.count()
    report = archive.indexer().index("ann", rebuild=True, stop=lambda: next(asked) == 2)
    assert (report.stopped, report.written) == (True, False)
    assert archive.read(lambda shelf: len(shelf.videos)) == 4


def test_progress_is_told(archive: Archive) -> None:
    archive.add(topical("a"), topical("b"))
    told: list[tuple[int, int, str]] = []
    archive.indexer().index("ann", progress=lambda *step: told.append(step))
    assert told == [(0, 2, "a"), (1, 2, "b")]


def test_indexing_again_and_again_keeps_the_disk_bounded(archive: Archive) -> None:
    archive.add(topical("a", count=40))
    archive.indexer().index("ann")
    sizes = []
    for turn in range(20):
        archive.add(topical("b", start=turn, count=40))
        archive.indexer().index("ann")
        sizes.append(sum(path.stat().st_size for path in archive.generation.rglob("*") if path.is_file()))
    assert max(sizes[10:]) < 1.5 * max(sizes[:5])
    pointer = archive.store.generations("ann").current()
    assert pointer is not None
    assert pointer.deleted <= pointer.passages


def test_a_passage_that_is_gone_is_not_found_and_its_neighbour_is(archive: Archive) -> None:
    """Against exact cosines: Chroma's own index was wrong after deletions in some versions."""
    archive.add(topical("a", count=12), topical("b", start=100, count=12))
    archive.indexer().index("ann")
    archive.remove("a")
    archive.indexer().index("ann")
    collection = open_collection(archive.generation, "ann")
    question = archive.embedder.query("sails and number 3")
    nearest = collection.nearest(question, 100)
    collection.close()
    ids = archive.read(lambda shelf: [shelf.places[at].id for at in np.argsort(-shelf.vectors @ question)])
    assert nearest[0] == ids[0]
    assert sorted(nearest) == sorted(ids)


def test_many_equal_passages_are_all_kept(archive: Archive) -> None:
    """Chroma's own index finds only some of many equal vectors; nothing is lost by that."""
    same = ["Thank you so much for having me, it is a great pleasure to be here with you all tonight, truly."] * 1500
    archive.add(talk("a", *same))
    report = archive.indexer().index("ann")
    assert archive.read(lambda shelf: len(shelf.places)) == report.passages > 400


def test_a_reader_of_an_old_generation_reads_on_while_new_ones_come_and_it_is_swept(archive: Archive) -> None:
    archive.add(topical("a", count=200))
    archive.indexer().index("ann")
    shelf = archive.store.open("ann", archive.recipe)
    for turn in range(4):
        archive.add(topical("b", start=turn))
        archive.indexer().index("ann")
    assert not (archive.folder / "ann" / shelf.generation).exists()
    assert [leaf.passage.text for leaf in shelf.read(range(len(shelf.texts)))] == list(shelf.texts)
    shelf.close()
