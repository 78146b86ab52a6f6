"""What counts as the same word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.text import fold, tokens, word_places

WORDS = st.text(alphabet="abcxyzáéöñçκλμαάέήόύώσςйжהа", min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("οδός", "ΟΔΟΣ"),
        ("οδός", "οδος"),
        ("ὁδός", "οδός"),  # polytonic
        ("Τὸν ἄνθρωπον", "τον άνθρωπον"),
        ("straße", "STRASSE"),
        ("oﬃce", "office"),
        ("İstanbul", "istanbul"),
        ("it’s", "IT'S"),
        ("itʼs", "its"),
        ("e-mail", "e mail"),
        ("e\u2011mail", "e–mail"),
        ("and/or", "and or"),
        ("120,000", "120000"),
        ("120.000", "120 000".replace(" ", "\u202f")),
        ("1'000'000", "1000000"),
        ("½", "1⁄2"),
        ("②", "2"),
        ("Cheese\u202fShop don’t\n3\u20115", "cheese shop don't 3-5"),
        ("zero\u200bwidth", "zerowidth"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\u200eleft to right\u200f", "left to right"),
        ("한국", "한국"),  # decomposed
        ("τι;", "τι\u037e"),  # the Greek question mark
    ],
)
def test_two_writings_are_one_word(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("が", "か"),  # dakuten tells syllables apart
        ("हिन्दी", "हनद"),
        ("على", "علي"),
        ("3 5", "35"),
        ("20\u00a020", "2020"),  # a no-break space only joins groups of three digits
        ("no where", "nowhere"),
    ],
)
def test_two_words_stay_two(one: str, other: str) -> None:
    assert tokens(one) != tokens(other)


def test_scripts_without_spaces_give_a_token_a_character() -> None:
    assert tokens("我喜欢Python学习") == ("我", "喜", "欢", "python", "学", "习")
    assert tokens("がぎ") == ("が", "ぎ")


def test_punctuation_alone_is_no_word() -> None:
    assert tokens(" … — ?! “” ") == ()
    assert tokens("") == ()


@given(st.lists(WORDS))
def test_a_text_has_the_tokens_of_its_words(words: list[str]) -> None:
    assert tokens(" ".join(words)) == tuple(token for word in words for token in tokens(word))


@given(st.lists(WORDS))
def test_capitals_and_marks_around_words_tell_nothing(words: list[str]) -> None:
    plain = tokens(" ".join(words))
    assert tokens(" ".join(f"“{word.upper()}”," for word in words)) == plain
    assert tokens("\u00a0".join(words)) == plain


@given(st.text())
def test_folding_twice_is_folding_once_for_every_token(text: str) -> None:
    for token in tokens(text):
        assert tokens(token) == (token,)
        assert fold(token) == token


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L'argent, c'est «utile»!", ["L", "argent", "c", "est", "utile"]),
        ("well-known  things", ["well", "known", "things"]),
        ("Ελλάδα 日本", ["Ελλάδα", "日", "本"]),
        ("… ?!", []),
    ],
)
def test_words_are_found_where_they_are_written(text: str, words: list[str]) -> None:
    assert [text[first:last] for first, last in word_places(text)] == words
