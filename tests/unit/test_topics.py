from __future__ import annotations

from itertools import pairwise, product
from math import log
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qandai.model import Row, Span, Video, Word
from qandai.passages import MAX_CHARS, sentences
from qandai.ports import Vectors
from qandai.topics import by_topic
from tests.build import row, said
from tests.fakes import BagOfWordsEmbedder

BOATS = ("Old boats leak a lot.", "A lot leak, old boats.", "Boats leak a lot.")
BREAD = ("Bread wants a warm oven.", "A warm oven wants bread.", "Bread wants an oven.", "A warm oven.")


def vectors_of(*rows: tuple[Span, ...]) -> Vectors:
    return BagOfWordsEmbedder(dimension=512).passages([sentence.text for each in rows for sentence in each])


def test_passages_of_the_wanted_length_end_where_the_talk_turns() -> None:
    spoken = sentences(row(" ".join(BOATS + BREAD)))
    passages = by_topic([spoken], vectors_of(spoken), chars=60)
    assert [passage.text for passage in passages] == [" ".join(BOATS), " ".join(BREAD)]
    assert [sentence.text for sentence in passages[1].sentences] == list(BREAD)
    assert (passages[0].span.end, passages[1].span.start) == (spoken[2].end, spoken[3].start)


def test_another_speaker_begins_a_passage_where_nothing_else_parts_them() -> None:
    one, two = said("It is so. It is so. It is so."), said("It is so. It is so.", at=20)
    answer = Word(two[0].text, two[0].start, two[0].end, turn=True)
    spoken = sentences(Row(Video("v", "Talk"), (*one, answer, *two[1:])))
    passages = by_topic([spoken], vectors_of(spoken), chars=25)
    assert [passage.text for passage in passages] == ["It is so. It is so. It is so.", "It is so. It is so."]


def test_nothing_bridges_a_stretch_that_is_taken_out() -> None:
    video = Video("v", "Talk")
    rows = [sentences(row(BOATS[0], video=video)), sentences(row(BOATS[0], video=video, offset=50, at=60))]
    assert [passage.span.first for passage in by_topic(rows, vectors_of(*rows), chars=300)] == [0, 50]


def test_a_passage_begins_with_the_last_sentences_of_the_one_before_where_they_overlap() -> None:
    spoken = sentences(row(" ".join(BOATS + BREAD)))
    first, second = by_topic([spoken], vectors_of(spoken), chars=60, overlap=20)
    assert first.text == " ".join(BOATS)
    assert second.text == " ".join((BOATS[-1], *BREAD))


def test_one_sentence_or_none_stays_as_it_is() -> None:
    alone = sentences(row(BOATS[0]))
    assert [passage.text for passage in by_topic([alone], vectors_of(alone), chars=300)] == [BOATS[0]]
    assert by_topic([], np.zeros((0, 3), np.float32), chars=300) == ()


def test_no_other_way_to_cut_costs_less() -> None:
    """Against every way to cut nine sentences, by the price that the module states."""
    chance = Random(7)
    spoken = sentences(row(" ".join(f"{'so ' * chance.randint(1, 30)}it goes." for _ in range(9))))
    vectors = np.array([[chance.gauss(0, 1) for _ in range(5)] for _ in spoken], np.float32)
    passages = by_topic([spoken], vectors, chars=60)

    lengths = [len(sentence.text) + 1 for sentence in spoken]
    apart = vectors - vectors.mean(axis=0)
    likeness = np.array([_cosine(apart, lengths, at) for at in range(1, len(spoken))])
    prices = (likeness - likeness.mean()) / likeness.std()

    def cost(borders: tuple[int, ...]) -> float:
        edges = (0, *borders, len(spoken))
        sizes = [sum(lengths[begin:end]) for begin, end in pairwise(edges)]
        return sum(2 * log(size / 60) ** 2 for size in sizes) + sum(prices[at - 1] for at in borders)

    ways = [
        tuple(at for at, chosen in enumerate(choice, start=1) if chosen)
        for choice in product((False, True), repeat=len(spoken) - 1)
    ]
    best = min(ways, key=cost)
    starts = [sentence.first for sentence in spoken]
    assert tuple(starts.index(passage.span.first) for passage in passages[1:]) == best


def _cosine(vectors: Vectors, lengths: list[int], at: int) -> float:
    """Of the 40 characters before and behind a border, in whole sentences."""
    first, last = at - 1, at + 1
    while first > 0 and sum(lengths[first:at]) < 40:
        first -= 1
    while last < len(lengths) and sum(lengths[at:last]) < 40:
        last += 1
    before, behind = vectors[first:at].sum(axis=0), vectors[at:last].sum(axis=0)
    return float(before @ behind / np.linalg.norm(before) / np.linalg.norm(behind))


WORDS = st.lists(st.sampled_from(["so", "it", "works.", "Why?", "because", "x" * 90, "yes!"]), min_size=1, max_size=200)


@given(WORDS, st.integers(50, 1000), st.floats(0, 0.5), st.randoms(use_true_random=False))
def test_every_word_is_kept_within_bounds_and_no_sentence_is_cut(
    words: list[str], chars: int, shared: float, chance: Random
) -> None:
    spoken = sentences(Row(Video("v", "Talk"), tuple(Word(text, at, at + 0.5) for at, text in enumerate(words))))
    overlap = int(shared * chars)
    vectors = np.array([[chance.random() for _ in range(4)] for _ in spoken], np.float32)
    passages = by_topic([spoken], vectors, chars=chars, overlap=overlap)
    assert {at for each in passages for at in range(each.span.first, each.span.last + 1)} == set(range(len(words)))
    assert all(len(each.text) <= MAX_CHARS or len(each.sentences) == 1 for each in passages)
    for each in passages:
        assert (each.sentences[0].first, each.sentences[-1].last) == (each.span.first, each.span.last)
        assert set(each.sentences) <= set(spoken)
    for before, after in pairwise(passages):
        assert before.span.first < after.span.first <= before.span.last + 1
        assert before.span.last < after.span.last
