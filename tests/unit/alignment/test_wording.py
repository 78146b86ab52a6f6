"""What is the same wording."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.alignment.wording import negations, wording


def worded(text: str) -> list[str]:
    return wording(text.split()).tokens


@pytest.mark.parametrize(
    ("closed", "opened"),
    [
        ("it's", "it is"),
        ("it's", "it has"),
        ("they’d", "they had"),
        ("I'd've", "I would have"),
        ("can't", "cannot"),
        ("can't", "can not"),
        ("won't", "will not"),
        ("dont", "do not"),
        ("isn't it", "is not it"),
        ("gonna", "going to"),
        ("let's", "let us"),
        ("50%", "fifty per cent"),
        ("R&D", "R and D"),
        ("Mr. Ok", "mister okay"),
    ],
)
def test_contractions_are_open(closed: str, opened: str) -> None:
    assert worded(closed) == worded(opened)


def test_we_were_is_not_we_are() -> None:
    assert worded("were") != worded("we're")


@pytest.mark.parametrize(
    "text", ["not", "isn't", "cannot", "n’est", "jamais", "δεν", "μη", "nicht", "keine", "ningún", "Nadie"]
)
def test_a_no_is_heard_in_five_languages(text: str) -> None:
    assert negations([text]) == 1


@pytest.mark.parametrize("text", ["note", "know", "nest", "knot", "really", "d'accord"])
def test_other_words_say_no_no(text: str) -> None:
    assert negations([text]) == 0


@given(st.lists(st.sampled_from(["it's", "a", "hundred", "and", "five", "—", "e-mail", "um", "don't", "twenty"])))
def test_tokens_keep_their_words_in_order(words: list[str]) -> None:
    found = wording(words)
    assert len(found.tokens) == len(found.first) == len(found.last)
    assert found.first == sorted(found.first)
    assert all(0 <= first <= last < len(words) for first, last in zip(found.first, found.last, strict=True))
