from __future__ import annotations

import warnings

import numpy as np
import pytest

from eval.metrics import hit_at, mrr, ndcg_at

DEPTH = 30


def test_figures_are_those_of_ranx() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its compiler
        from ranx import Qrels, evaluate
        from ranx import Run as Ranked
    rng = np.random.default_rng(3)
    qrels, run, found, relevant = {}, {}, [], []
    for number in range(60):
        right = set(rng.choice(200, rng.integers(1, 12), replace=False).tolist())
        ranked = rng.choice(200, DEPTH, replace=False).tolist()
        qrels[str(number)] = {str(item): 1 for item in right}
        run[str(number)] = {str(item): float(DEPTH - rank) for rank, item in enumerate(ranked)}
        found.append([item in right for item in ranked])
        relevant.append(len(right))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = evaluate(Qrels(qrels), Ranked(run), ["hit_rate@1", "hit_rate@5", "hit_rate@10", "mrr", "ndcg@10"])
    ours = [hit_at(1, found), hit_at(5, found), hit_at(10, found), mrr(found), ndcg_at(10, found, relevant)]
    assert ours == pytest.approx(list(theirs.values()))


def test_a_question_without_an_answer_in_the_list_counts_nothing() -> None:
    assert hit_at(5, [[True], []]) == 0.5
    assert mrr([[False, True], [False]]) == 0.25
    assert ndcg_at(10, [[False]], [0]) == 0.0
