from __future__ import annotations

import numpy as np
import pytest

from qandai.retrieval.lexical import Bm25
from qandai.text import tokens


def bm25(*texts: str) -> Bm25:
    return Bm25.build(tokens(text) for text in texts)


def test_words_are_the_same_whatever_their_case_accents_and_final_sigma() -> None:
    held = bm25("Η οδός είναι κλειστή", "Το λιμάνι")
    for typed in ("οδός", "ΟΔΟΣ", "οδος", "ὁδός"):
        assert held.scores(tokens(typed))[0] > 0
        assert held.scores(tokens(typed))[1] == 0


def test_a_word_nobody_said_changes_no_score_but_is_the_most_telling() -> None:
    held = bm25("the river", "the bank", "the fish")
    np.testing.assert_array_equal(held.scores(tokens("river zeppelin")), held.scores(tokens("river")))
    assert held.idf("zeppelin") >= held.idf("river") > held.idf("the")


def test_no_passage_reaches_the_ceiling() -> None:
    held = bm25("river river river river", "bank")
    assert 0 < held.shares(tokens("river"))[0] < 1


@pytest.mark.parametrize("question", ["", "?!", "river"])
def test_an_empty_shelf_scores_nothing(question: str) -> None:
    held = bm25()
    assert held.scores(tokens(question)).shape == (0,)
    assert held.shares(tokens(question)).shape == (0,)


def test_passages_without_words_score_zero() -> None:
    assert bm25("…", "—").scores(tokens("river")).tolist() == [0, 0]
