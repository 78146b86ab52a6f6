from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qandai.retrieval.lexical import Bm25
from qandai.retrieval.pairs import PairBm25

DOCUMENTS = st.lists(st.lists(st.sampled_from("river bank money the a of".split()), max_size=12), max_size=8)


@given(DOCUMENTS, st.lists(st.sampled_from("river bank money the a zeppelin".split()), max_size=6))
def test_pairs_score_as_words_would_that_are_written_together(documents: list[list[str]], asked: list[str]) -> None:
    """But for the length of a passage, which is counted in words."""
    pairs = PairBm25.build(documents)
    together = Bm25.build([[f"{one} {two}" for one, two in pairwise(words)] for words in documents])
    wanted = [f"{one} {two}" for one, two in pairwise(asked)]
    np.testing.assert_array_equal(pairs.shares(asked) > 0, together.shares(wanted) > 0)
    assert pairs.shares(asked).shape == (len(documents),)
    assert np.all(pairs.shares(asked) < 1)


def test_words_in_another_order_share_no_pair() -> None:
    pairs = PairBm25.build([["dog", "bites", "man"], ["man", "bites", "dog"]])
    first, second = pairs.shares(["man", "bites", "dog"])
    assert (first, second > 0) == (0, True)


def test_a_pair_does_not_reach_over_the_end_of_a_passage() -> None:
    pairs = PairBm25.build([["cold"], ["water"]])
    assert pairs.shares(["cold", "water"]).tolist() == [0, 0]
