"""Word times and marks as a short string: what is kept, how much it takes, and what is refused."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.adapters.timings import decode, encode, read_numbers, write_numbers
from qandai.model import Word, join

words = st.builds(
    lambda text, start, length, exact, turn, speaker, glued: Word(
        text, start / 1000, (start + length) / 1000, exact, turn, speaker, glued
    ),
    text=st.text(st.characters(blacklist_characters=" ", blacklist_categories=["Cs"]), min_size=1, max_size=8),
    start=st.integers(0, 40_000_000),
    length=st.integers(0, 100_000),
    exact=st.booleans(),
    turn=st.booleans(),
    speaker=st.sampled_from([None, "Ann", 'B|o"b', "Ελένη"]),
    glued=st.booleans(),
)


@given(st.lists(words, min_size=1, max_size=60))
def test_words_come_back_as_they_were(row: list[Word]) -> None:
    assert decode(encode(row), join(row)) == tuple(row)


@given(st.lists(st.integers(0, 2**48)))
def test_numbers_come_back_as_they_were(numbers: list[int]) -> None:
    assert list(read_numbers(write_numbers(numbers))) == numbers


def test_times_are_kept_to_the_millisecond() -> None:
    (word,) = decode(encode([Word("so", 1.23449, 1.9996)]), "so")
    assert (word.start, word.end) == (1.234, 2.0)


def test_a_spoken_word_takes_at_most_six_characters() -> None:
    chance = random.Random(4)
    row: list[Word] = []
    at = 5_000_000
    for place in range(5000):
        at += chance.choice([0, 0, 0, 20, 40, 160, 900])
        length = chance.randint(60, 700)
        row.append(Word("word", at / 1000, (at + length) / 1000, place % 7 > 0, place % 40 == 0))
        at += length
    passages = [row[begin : begin + 55] for begin in range(0, len(row), 55)]
    taken = sum(len(encode(passage)) for passage in passages) / len(row)
    assert taken < 5, f"{taken:.2f} characters a word"


def test_words_that_share_a_chunk_without_spaces_are_told_apart() -> None:
    row = [Word("日", 0, 0.2), Word("本語", 0.2, 0.5, glued=True), Word("と", 0.5, 0.6, glued=True), Word("C", 1, 2)]
    assert join(row) == "日本語と C"
    assert [word.text for word in decode(encode(row), join(row))] == ["日", "本語", "と", "C"]


def test_a_word_with_a_space_is_refused() -> None:
    with pytest.raises(ValueError, match="space"):
        encode([Word("New York", 0, 1)])


@pytest.mark.parametrize(
    ("encoded", "document"),
    [
        ("AAAA", "only-one"),
        ("AA", "two words"),
        ("A", "word"),
        ("A!", "word"),
        ("Ag", "word"),
        ("AA|D", "word"),
        ("AAAA|B", "two words"),
        ('AA||||[["Ann",2]]', "word"),
        ("AA||||{", "word"),
        ("g" * 40, "word"),
        ("", ""),
    ],
)
def test_a_string_that_does_not_fit_its_document_is_refused(encoded: str, document: str) -> None:
    with pytest.raises(ValueError):
        decode(encoded, document)
