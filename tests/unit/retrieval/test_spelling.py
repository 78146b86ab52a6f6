from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as some

from qandai.retrieval.spelling import Spelling

SAID = {"boats": 9, "beats": 2, "sails": 4, "anchorage": 1, "melenchon": 3, "the": 30, "πρόσωπο": 2, "προσωπο": 2}


def put_right(text: str, *words: str) -> str:
    return Spelling(SAID).put_right(text, lambda word: word in words)


def beside_words(text: str) -> list[str]:
    return [character for character in text if unicodedata.category(character)[0] not in "LM"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Where are the baots?", "Where are the boats?"),
        ("saills, or ancohrege", "sails, or anchorage"),
        ("Mélanchon", "melenchon"),
        ("προσοπο", "προσωπο"),
        (unicodedata.normalize("NFD", "Mélanchon"), "melenchon"),
    ],
)
def test_a_slip_is_put_right_from_what_was_said(typed: str, meant: str) -> None:
    assert put_right(typed) == meant


def test_of_words_that_are_equally_near_the_one_said_most_was_meant() -> None:
    assert put_right("bxats") == "boats"


@pytest.mark.parametrize(
    "typed", ["the boats", "goats", "sial", "anchors", "b0ats", "teh", "boatload", "船を売った", "", "?!"]
)
def test_words_that_were_said_or_are_short_or_far_from_all_stay(typed: str) -> None:
    assert put_right(typed) == typed


@pytest.mark.parametrize("typed", ["beets", "Beets"])
def test_a_word_stays_though_nobody_said_it(typed: str) -> None:
    assert put_right(typed, "beets") == typed


@pytest.mark.parametrize("typed", ["Bélaud Orléans", "नमस्ते", "שָׁלוֹם"])
def test_marks_of_their_own_never_part_a_word(typed: str) -> None:
    met: list[str] = []

    def is_word(word: str) -> bool:
        met.append(word)
        return False

    Spelling(SAID).put_right(unicodedata.normalize("NFD", typed), is_word)
    words = unicodedata.normalize("NFC", typed).split()
    assert met == [form for word in words for form in (word, word.lower())]


@given(some.text(max_size=60))
def test_nothing_but_words_is_touched(text: str) -> None:
    assert beside_words(put_right(text)) == beside_words(unicodedata.normalize("NFC", text))
