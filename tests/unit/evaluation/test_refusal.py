from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.questions import Asked
from eval.refusal import Judged, auc, best_floor, metrics, rates

SCORES = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=12)


@given(SCORES, SCORES)
def test_auc_is_the_share_of_pairs_in_the_right_order(answerable: list[float], foreign: list[float]) -> None:
    pairs = [(one > other) + 0.5 * (one == other) for one in answerable for other in foreign]
    assert auc(answerable, foreign) == pytest.approx(sum(pairs) / len(pairs))


def test_the_best_floor_parts_what_can_be_parted() -> None:
    floor = best_floor([0.5, 0.6, 0.9], [0.1, 0.4])
    assert rates([0.5, 0.6, 0.9], [0.1, 0.4], floor) == (0.0, 1.0)
    assert floor == pytest.approx(0.45)


def test_both_errors_are_told_at_the_floor_in_use() -> None:
    asked = Asked("1", "?")
    judged = [Judged(asked, "answerable", 0.2), Judged(asked, "answerable", 0.8), Judged(asked, "near", 0.6)]
    figures = metrics([*judged, Judged(asked, "absurd", 0.1)], 0.5)
    assert (figures["answerable_refused"], figures["foreign_refused"]) == (0.5, 0.5)
    assert (figures["near_refused"], figures["absurd_refused"]) == (0.0, 1.0)
