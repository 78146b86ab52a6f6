from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qandai.model import Row, Video, Word
from qandai.passages import MAX_CHARS, Passage, cut
from qandai.ports import Vectors
from qandai.topics import by_topic
from tests.build import row
from tests.fakes import BagOfWordsEmbedder

BOATS = ("Old boats leak a lot.", "A lot leak, old boats.", "Boats leak a lot.")
BREAD = ("Bread wants a warm oven.", "A warm oven wants bread.", "Bread wants an oven.")


def vectors_of(passages: tuple[Passage, ...]) -> Vectors:
    return BagOfWordsEmbedder(dimension=512).passages([passage.text for passage in passages])


def test_passages_about_the_same_become_one_and_end_where_the_talk_turns() -> None:
    passages = cut(row(" ".join(BOATS + BREAD)), chars=20)
    assert [passage.text for passage in passages] == [*BOATS, *BREAD]
    joined = by_topic(passages, vectors_of(passages), holding=-0.5)
    assert [passage.text for passage in joined] == [" ".join(BOATS), " ".join(BREAD)]
    assert [sentence.text for sentence in joined[1].sentences] == list(BREAD)
    assert (joined[1].span.start, joined[1].span.end) == (passages[3].span.start, passages[5].span.end)


def test_nothing_bridges_a_stretch_that_is_taken_out() -> None:
    video = Video("v", "Talk")
    before, after = row(BOATS[0], video=video), row(BOATS[0], video=video, offset=50, at=60)
    passages = cut(before) + cut(after)
    assert by_topic(passages, vectors_of(passages)) == passages


def test_one_passage_or_none_stays_as_it_is() -> None:
    passages = cut(row(BOATS[0]))
    assert by_topic(passages, vectors_of(passages)) == passages
    assert by_topic((), np.zeros((0, 3), np.float32)) == ()


WORDS = st.lists(st.sampled_from(["so", "it", "works.", "Why?", "because", "x" * 90, "yes!"]), min_size=1, max_size=200)


@given(WORDS, st.integers(50, 1000), st.integers(0, 100), st.floats(-2, 2), st.randoms(use_true_random=False))
def test_every_word_is_kept_within_bounds_and_no_border_is_new(
    words: list[str], chars: int, overlap: int, holding: float, chance: Random
) -> None:
    spoken = Row(Video("v", "Talk"), tuple(Word(text, at, at + 0.5) for at, text in enumerate(words)))
    passages = cut(spoken, chars=chars, overlap=overlap)
    vectors = np.array([[chance.random() + 0.01 for _ in range(4)] for _ in passages], np.float32)
    joined = by_topic(passages, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), holding=holding)
    assert {at for each in joined for at in range(each.span.first, each.span.last + 1)} == set(range(len(words)))
    assert {each.span.first for each in joined} <= {each.span.first for each in passages}
    assert {each.span.last for each in joined} <= {each.span.last for each in passages}
    assert max(len(each.text) for each in joined) <= max(MAX_CHARS, *(len(each.text) for each in passages), 0)
    for each in joined:
        assert (each.sentences[0].first, each.sentences[-1].last) == (each.span.first, each.span.last)
        assert [s.last + 1 for s in each.sentences[:-1]] == [s.first for s in each.sentences[1:]]
