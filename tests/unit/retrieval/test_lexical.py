from __future__ import annotations

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.retrieval.lexical import K1, B, Bm25
from qandai.text import tokens

WORDS = st.sampled_from("river bank money water loan fish the a of".split())
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=12)


def bm25(*texts: str) -> Bm25:
    return Bm25.build(tokens(text) for text in texts)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=6).map(" ".join))
def test_scores_are_those_of_an_independent_implementation(texts: list[str], question: str) -> None:
    reference = bm25s.BM25(k1=K1, b=B, method="lucene")
    reference.index([list(tokens(text)) for text in texts], show_progress=False)
    known = {word for text in texts for word in tokens(text)}
    asked = [word for word in tokens(question) if word in known]
    expected = reference.get_scores(asked) if asked else np.zeros(len(texts))
    np.testing.assert_allclose(bm25(*texts).scores(tokens(question)), expected, rtol=1e-4, atol=1e-5)


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
