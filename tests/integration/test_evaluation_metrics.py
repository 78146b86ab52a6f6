from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import chain

import numpy as np
import pytest

from eval.metrics import hit_at, mrr, ndcg_at

DEPTH = 30
THEIRS = """
import json, sys
from ranx import Qrels, Run, evaluate
qrels, run = json.load(sys.stdin)
print(json.dumps({name: float(value) for name, value in evaluate(Qrels(qrels), Run(run), sys.argv[1:]).items()}))
"""


def test_figures_are_those_of_ranx() -> None:
    rng = np.random.default_rng(3)
    qrels, run, found, relevant = {}, {}, [], []
    for number in range(60):
        right = set(rng.choice(200, rng.integers(1, 12), replace=False).tolist())
        ranked = rng.choice(200, DEPTH, replace=False).tolist()
        qrels[str(number)] = {str(item): 1 for item in right}
        run[str(number)] = {str(item): float(DEPTH - rank) for rank, item in enumerate(ranked)}
        found.append([item in right for item in ranked])
        relevant.append(len(right))
    ours = {"hit_rate@1": hit_at(1, found), "hit_rate@5": hit_at(5, found), "hit_rate@10": hit_at(10, found)}
    ours |= {"mrr": mrr(found), "ndcg@10": ndcg_at(10, found, relevant)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", THEIRS, *ours],
        input=json.dumps([qrels, run]),
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},  # compiling itself would take it minutes
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    assert json.loads(done.stdout) == pytest.approx(ours)
    assert 0 < min(ours.values()) < max(ours.values()) < 1
    assert {True, False} == set(chain.from_iterable(found))


def test_a_question_without_an_answer_in_the_list_counts_nothing() -> None:
    assert hit_at(5, [[True], []]) == 0.5
    assert mrr([[False, True], [False]]) == 0.25
    assert ndcg_at(10, [[False]], [0]) == 0.0
