"""What every reranker promises, a cross-encoder from a folder or a stand-in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from qandai.adapters.cross_encoder import CrossEncoder
from qandai.adapters.encoder import BATCH
from qandai.ports import Reranker
from tests import tiny_cross_encoder
from tests.fakes import SharedWordsReranker

QUESTION = "sold boats"
TEXTS = ("winter bread", "boats sold", "oak boats", "", "yes " * 3000, *["boats of oak"] * (2 * BATCH))


@pytest.fixture(params=["shared words", "one output", "no and yes"])
def reranker(request: pytest.FixtureRequest, tmp_path: Path) -> Reranker:
    kinds: dict[str, Callable[[], Reranker]] = {
        "shared words": SharedWordsReranker,
        "one output": lambda: CrossEncoder(tiny_cross_encoder.write(tmp_path)),
        "no and yes": lambda: CrossEncoder(tiny_cross_encoder.write(tmp_path, outputs=2)),
    }
    return kinds[request.param]()


def test_a_score_a_text_higher_for_what_answers_better(reranker: Reranker) -> None:
    scores = reranker.scores(QUESTION, TEXTS)
    assert scores.shape == (len(TEXTS),)
    assert scores.dtype == np.float32
    assert scores[1] > scores[2] > scores[0]
    assert len(set(scores[5:].tolist())) == 1


def test_a_score_never_depends_on_what_else_is_scored(reranker: Reranker) -> None:
    alone = np.concatenate([reranker.scores(QUESTION, [text]) for text in TEXTS])
    assert np.abs(reranker.scores(QUESTION, TEXTS) - alone).max() <= 1e-6
    assert np.abs(reranker.scores(QUESTION, TEXTS[::-1])[::-1] - alone).max() <= 1e-6


def test_no_texts_have_no_scores(reranker: Reranker) -> None:
    assert reranker.scores(QUESTION, []).shape == (0,)


def test_threads_may_share_it(reranker: Reranker) -> None:
    expected = reranker.scores(QUESTION, TEXTS)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(reranker.scores(QUESTION, TEXTS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [scores.tolist() for scores in found] == [expected.tolist()] * 4
