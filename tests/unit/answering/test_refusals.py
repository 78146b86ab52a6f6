from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.answering.essay import Declined, read
from qandai.answering.refusals import NOT_COVERED, is_limitation, not_covered
from qandai.model import Person


def declines(text: str, language: str) -> bool:
    """Whether a model that writes this says no more than that it was never said."""
    person = Person("ann", "Ann", language=language)
    return list(read([text], question="Why did she sell the boat?", person=person, excerpts=())) == [Declined()]


def test_the_fixed_sentence_is_that_of_the_recordings_language_or_english() -> None:
    assert not_covered("el-GR") == NOT_COVERED["el"]
    assert not_covered("ja") == NOT_COVERED["en"]


@pytest.mark.parametrize("language", NOT_COVERED)
def test_the_fixed_sentence_is_a_refusal_however_it_is_written(language: str) -> None:
    fixed = NOT_COVERED[language]
    for spelt in (fixed, fixed.upper(), fixed.replace("'", "’"), f"**{fixed}**", f'"{fixed}"', fixed.rstrip(".")):
        assert declines(spelt, language), spelt


@pytest.mark.parametrize(
    "spelt",
    [
        "this is not covered in the recordings",
        "This isn’t covered in the recordings.",
        "THIS IS NOT COVERED IN THE RECORDINGS!",
        "Sorry, this is not covered in the recordings.",
        "I'm sorry. That topic isn't mentioned in the excerpts.",
        "It is not covered.",
        "The excerpts do not mention the price of gold.",
        "There is no information about gold in these excerpts.",
        "Nothing in the recordings addresses this question.",
        "I could not find an answer in the recordings.",
        "The excerpts are unrelated to the question.",
        "This isn't covered in the recordings. [1][2]",
        "The recordings never say how old she is.\n\nThis isn't covered in the recordings.",
    ],
)
def test_every_spelling_of_a_refusal_is_one(spelt: str) -> None:
    assert declines(spelt, "en")


@pytest.mark.parametrize(
    "spelt",
    [
        "This isn't covered directly, but she explains that names get lost [1].",
        "The recordings explain why names get lost [1]. The price is not covered.",
        "Names get lost because a vector keeps no spelling [1].",
        "Nobody ever writes into an index that is in use [1].",
        "I'm sorry.",
        "",
        "No.",
    ],
)
def test_what_tells_anything_is_an_answer(spelt: str) -> None:
    assert not declines(spelt, "en")


def test_a_sentence_that_names_what_is_missing_is_a_limitation() -> None:
    assert is_limitation("How much it costs is not mentioned in these recordings.", "en")
    assert is_limitation("Was es kostet, wird in den Aufnahmen nicht gesagt.", "de")
    assert is_limitation("Les extraits ne disent pas combien cela coûte.", "fr")
    assert is_limitation("Οι ηχογραφήσεις δεν λένε πόσο κοστίζει.", "el")
    assert is_limitation("What it costs is not mentioned in the recordings.", "de")


def test_a_negation_alone_is_none() -> None:
    assert not is_limitation("A word is never cut in two.", "en")
    assert not is_limitation("He says that no name is ever lost.", "en")
    assert not is_limitation("The recordings explain it, but do not say what it costs.", "en")


@given(st.text(max_size=300), st.sampled_from([*NOT_COVERED, "ja", ""]))
def test_any_text_is_judged(text: str, language: str) -> None:
    assert is_limitation(text, language) in (True, False)
