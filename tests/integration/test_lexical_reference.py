"""BM25 beside somebody else's, which takes long to import."""

from __future__ import annotations

import bm25s
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qandai.retrieval.lexical import K1, B, Bm25
from qandai.text import tokens

WORDS = st.sampled_from("river bank money water loan fish the a of".split())
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=12)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=6).map(" ".join))
def test_scores_are_those_of_an_independent_implementation(texts: list[str], question: str) -> None:
    reference = bm25s.BM25(k1=K1, b=B, method="lucene")
    reference.index([list(tokens(text)) for text in texts], show_progress=False)
    known = {word for text in texts for word in tokens(text)}
    asked = [word for word in tokens(question) if word in known]
    expected = reference.get_scores(asked) if asked else np.zeros(len(texts))
    np.testing.assert_allclose(
        Bm25.build(tokens(text) for text in texts).scores(tokens(question)), expected, rtol=1e-4, atol=1e-5
    )
