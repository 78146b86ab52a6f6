"""A passage as a Chroma record: nothing is lost, nothing is None, and damage is noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qandai.adapters.records import quantise, read_head, read_leaf, read_place, records, restore
from qandai.model import Row, Span, Video, Word
from qandai.ports import Leaf, Place
from tests.build import AUDIO, said

BARE = Video("b_-1", "")
WORDS = np.random.default_rng(8).integers(0, 256, (5, 96), np.uint8)


def directions(count: int, dimension: int = 384) -> np.ndarray:
    vectors = np.random.default_rng(7).normal(size=(count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def leaf(video: Video = AUDIO, words: tuple[Word, ...] = said("one two three. four five"), offset: int = 40) -> Leaf:
    row = Row(video, words, offset)
    return Leaf(row.whole(), (row.span(offset, offset + 2), row.span(offset + 3, offset + 4)), directions(2), WORDS)


@pytest.mark.parametrize(
    "video", [AUDIO, BARE, replace(AUDIO, source="youtube", url="https://youtu.be/x", channel="c")]
)
def test_a_passage_comes_back_with_its_words_its_sentences_and_its_video(video: Video) -> None:
    given = leaf(video)
    ((record_id, document, metadata),) = records([given], fingerprint="f")
    back = read_leaf(read_head(metadata).video, read_place(record_id), document, metadata, dimension=384)
    assert (back.passage, back.sentences) == (given.passage, given.sentences)
    assert np.array_equal(back.signs, WORDS)
    assert back.passage.text == "one two three. four five"


def test_only_the_first_record_of_a_video_speaks_for_the_whole() -> None:
    first, second = leaf(), leaf(words=said("six seven eight nine ten", at=30), offset=45)
    (_, _, head), (_, _, other) = records([first, second], fingerprint="f")
    assert (read_head(head).passages, read_head(head).end, read_head(head).fingerprint) == (2, 32.5, "f")
    assert "head" not in other


def test_chroma_is_never_given_none_or_a_collection() -> None:
    for _, _, metadata in records([leaf(BARE)], fingerprint="f"):
        assert all(isinstance(value, str | int | float | bool) for value in metadata.values())


def test_sentence_vectors_keep_their_direction_to_a_hundredth() -> None:
    given, question = directions(500), directions(1)[0]
    back = restore(quantise(given), 500, 384)
    assert np.abs(given @ question - back @ question).max() < 0.01
    assert np.linalg.norm(back, axis=1) == pytest.approx(1, abs=1e-6)
    assert len(quantise(given)) / 500 <= 512


@pytest.mark.parametrize(
    "change",
    [
        {"words": "AA"},
        {"sentences": "D"},
        {"sentences": "DE"},
        {"sentence_vectors": "AAAA"},
        {"sentence_vectors": "not base64!"},
        {"word_signs": "AAAA"},
        {"word_signs": "2x4:AAAAAA=="},
        {"word_signs": "-1x2:AAAAAA=="},
        {"word_signs": f"{10**30}x4:AAAAAA=="},
        {"word_signs": "1x4:not base64!"},
        {"words": 5},
    ],
)
def test_a_damaged_record_is_refused(change: dict[str, str | int]) -> None:
    ((record_id, document, metadata),) = records([leaf()], fingerprint="f")
    with pytest.raises(ValueError):
        read_leaf(AUDIO, read_place(record_id), document, {**metadata, **change}, dimension=384)


def test_a_passage_whose_words_no_model_tells_apart_has_none() -> None:
    given = replace(leaf(), signs=np.zeros((0, 0), np.uint8))
    ((record_id, document, metadata),) = records([given], fingerprint="f")
    assert len(read_leaf(AUDIO, read_place(record_id), document, metadata, dimension=384).signs) == 0


@pytest.mark.parametrize("record_id", ["", "video", "video:1", "video:1-", ":1-2", "video:a-b", "video:-1-2"])
def test_what_is_no_passage_id_is_refused(record_id: str) -> None:
    with pytest.raises(ValueError):
        read_place(record_id)


def test_a_place_names_its_record() -> None:
    assert read_place("a_-:3-20") == Place("a_-", 3, 20)
    assert read_place(Span(leaf().passage.row, 40, 41).id) == Place("talk1", 40, 41)
