from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rapidfuzz.distance import OSA

from eval.slips import said, slipped

SAID = said(["The anchor held.", "An anchor and an anchorage."])


@given(some.integers())
def test_one_slip_in_the_rarest_word_and_never_in_its_first_letter(seed: int) -> None:
    found = slipped("Where is the anchor of the anchorage?", SAID, seed=str(seed))
    start, _, word = found.partition("anchor of the ")
    assert start == "Where is the "
    assert word[0] == "a"
    assert OSA.distance(word, "anchorage?") <= 1


def test_all_kinds_of_slips_occur_and_the_same_seed_makes_the_same() -> None:
    found = {slipped("anchorage", SAID, seed=str(seed)) for seed in range(60)}
    assert {len(word) for word in found} == {8, 9, 10}
    assert slipped("anchorage", SAID, seed="1") == slipped("anchorage", SAID, seed="1")


@pytest.mark.parametrize("question", ["zeppelins?", "held", "", "船 anch"])
def test_a_question_without_a_long_word_that_was_said_stays(question: str) -> None:
    assert slipped(question, SAID, seed="1") == question
