from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qandai.answering.echo import echo
from tests.build import said

TERMS = {"sell": 3.0, "boat": 3.0, "the": 0.1, "why": 0.5, "did": 0.1, "you": 0.1}


def test_the_question_is_heard_again_where_its_words_stand_together() -> None:
    words = said("thank you all the weather why did you sell the boat because it leaked")
    heard = echo(words, TERMS)
    assert heard is not None
    assert [word.text for word in words[heard.first : heard.last + 1]] == "why did you sell the boat".split()


def test_of_two_readings_the_first_counts() -> None:
    heard = echo(said("sell the boat sell the boat"), {"sell": 1.0, "boat": 1.0})
    assert heard is not None
    assert heard.first == 0


def test_nothing_in_common_is_no_echo() -> None:
    assert echo(said("bread wants time"), TERMS) is None
    assert echo(said("bread"), {}) is None


@given(st.lists(st.sampled_from(["sell", "boat", "the", "bread", "…"]), min_size=1, max_size=20))
def test_an_echo_lies_among_the_words_and_begins_with_one_of_the_question(texts: list[str]) -> None:
    heard = echo(said(" ".join(texts)), TERMS)
    if heard is None:
        assert not set(texts) & set(TERMS)
    else:
        assert 0 <= heard.first <= heard.last < len(texts)
        assert texts[heard.first] in TERMS
        assert heard.share > 0
