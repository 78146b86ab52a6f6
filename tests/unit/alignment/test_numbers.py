"""Numbers as they are said and as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.spelling import spell, spell_year
from qandai.alignment.numbers import numbers
from qandai.alignment.wording import wording


def read(text: str) -> list[str]:
    return wording(text.split()).tokens


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("a hundred and twenty thousand", "120,000"),
        ("three million two hundred thousand and one", "3,200,001"),
        ("twelve hundred", "1200"),
        ("three hundred", "3 hundred"),
        ("ten thousand", "10k"),
        ("three point five", "3.5"),
        ("one point five million", "1.5 million"),
        ("twenty-first", "21st"),
        ("nineteen nineties", "1990s"),
        ("quatre-vingt-dix-sept", "97"),
        ("soixante et onze", "71"),
        ("mille neuf cents", "1900"),
        ("einundzwanzig", "21"),
        ("zweitausendzwanzig", "2020"),
        ("dreihundertfünfundsechzig", "365"),
        ("treinta y cinco", "35"),
        ("mil doscientos", "1200"),
        ("χίλια εννιακόσια ογδόντα τέσσερα", "1984"),
    ],
)
def test_a_number_is_one_token_however_it_is_said(said: str, written: str) -> None:
    assert read(said) == read(written)
    assert len(read(written)) == 1


@pytest.mark.parametrize("text", ["two three times", "six and a half", "one of a kind", "ten and twenty", "five two"])
def test_numbers_beside_each_other_stay_apart(text: str) -> None:
    assert len(read(text)) == len(text.split())


@pytest.mark.parametrize("text", ["hundreds of", "per cent", "wanderhundert", "nobody once"])
def test_what_is_no_number_stays_as_it_is(text: str) -> None:
    assert read(text) == text.split()


@given(st.integers(0, 999_999))
def test_every_number_is_read_as_it_is_spelled(number: int) -> None:
    assert read(spell(number)) == read(f"{number:,}")


@given(st.integers(1100, 2099).filter(lambda year: year % 100 > 9))
def test_years_are_said_by_their_halves(year: int) -> None:
    assert read(spell_year(year)) == read(str(year))


@given(st.lists(st.sampled_from("a and hundred thousand million five twenty teen point et y 12 7k two first".split())))
def test_numbers_never_overlap(words: list[str]) -> None:
    places = [place for _, first, last in numbers(words) for place in range(first, last + 1)]
    assert places == sorted(set(places))
    assert all(0 <= place < len(words) for place in places)


def test_a_number_without_end_is_no_danger() -> None:
    assert len(read("point " + "one " * 5000)) > 1
    assert len(read("one hundred " * 5000)) > 1
    assert read("9" * 5000) == ["9" * 5000]
    assert read("ein" * 5000) == ["ein" * 5000]
