from __future__ import annotations

from dataclasses import replace

import pytest

from eval.timing import apart, figures
from tests.build import talk

SAID = ("we sold the boat in spring", "and walked home along the river")


def test_words_that_both_hold_are_compared_and_others_left_out() -> None:
    one = talk("a", *SAID)
    other = talk("b", "we sold a boat in spring", "and walked home along the river")
    late = replace(other, words=tuple(replace(word, start=word.start + 0.25) for word in other.words))
    found = figures(apart(one, late), len(one.words))
    assert found["matched"] == pytest.approx(11 / 12)
    assert (found["median"], found["median_shift"]) == (pytest.approx(0.25), pytest.approx(0.25))


def test_estimated_times_count_only_where_there_are_no_others() -> None:
    one = talk("a", *SAID)
    guessed = replace(one, words=tuple(replace(w, exact=at == 0, start=w.start + at) for at, w in enumerate(one.words)))
    assert [word for word, *_ in apart(one, guessed)] == ["we"]


def test_nothing_in_common_has_no_figures() -> None:
    assert figures([], 5)["median"] is None
