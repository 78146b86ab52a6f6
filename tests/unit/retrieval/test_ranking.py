from __future__ import annotations

import numpy as np

from qandai.retrieval.ranking import Ranking

QUESTION = {"vectors": np.array([0.9, 0.5, 0.1], np.float32), "bm25": np.array([0.0, 0.2, 0.6], np.float32)}
REWRITE = {"vectors": np.array([0.1, 0.5, 0.9], np.float32), "bm25": np.array([0.0, 0.9, 0.2], np.float32)}


def order(ranking: Ranking, *signals: dict[str, np.ndarray]) -> list[int]:
    scored = [ranking.fuse(each) for each in signals]
    return [place for place, _ in ranking.order(signals, scored, [1.0] * len(signals), count=3)]


def test_the_question_counts_as_often_as_it_is_told_to() -> None:
    rewrites = [REWRITE, REWRITE]
    assert order(Ranking(fusion="vectors", w_original=1), QUESTION, *rewrites)[0] == 2
    assert order(Ranking(fusion="vectors", w_original=3), QUESTION, *rewrites)[0] == 0


def test_no_more_passages_of_a_query_take_part_than_are_kept() -> None:
    assert order(Ranking(fusion="vectors", keep=1), QUESTION) == [0]
    assert order(Ranking(fusion="vectors", keep=1, rewrite_depth=1), QUESTION, REWRITE) == [0, 2]


def test_rewrites_change_the_order_and_not_the_scale() -> None:
    ranking = Ranking(fusion="vectors", w_original=1)
    signals = [QUESTION, REWRITE, REWRITE]
    ranked = ranking.order(signals, [ranking.fuse(each) for each in signals], [1.0] * 3, count=3)
    assert [place for place, _ in ranked] == [2, 1, 0]
    assert [score for _, score in ranked] == sorted(QUESTION["vectors"].tolist(), reverse=True)


def test_votes_prefer_what_most_lists_hold() -> None:
    assert order(Ranking(fusion="votes", keep=2), QUESTION)[0] == 1
