from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qandai.model import Hit
from qandai.retrieval.cut import cut


def hits(*scores: float) -> list[Hit]:
    return [Hit(number, number + 1, score, 0.5) for number, score in enumerate(scores)]


def shown(*scores: float, floor: float = 0.5, gap: float = 0.3) -> int:
    return len(cut(hits(*scores), floor=floor, gap=gap))


def test_a_clear_winner_stands_alone() -> None:
    assert shown(0.9, 0.55, 0.54, 0.5) == 1


def test_a_broad_question_keeps_many() -> None:
    assert shown(0.9, 0.85, 0.8, 0.74, 0.7, 0.66) == 6


def test_what_scores_far_less_than_the_best_is_not_shown() -> None:
    assert shown(0.9, 0.8, 0.7, 0.6, 0.44, 0.1) == 4


def test_two_good_ones_go_before_the_gap() -> None:
    assert shown(0.9, 0.88, 0.58, 0.5, gap=0.3) == 2


def test_without_a_scale_all_are_kept() -> None:
    assert shown(0.0, -0.2, -0.9) == 3
    assert shown() == 0


SCORES = st.lists(st.floats(-1, 2), max_size=20).map(lambda scores: sorted(scores, reverse=True))


@given(SCORES, st.floats(0, 1), st.floats(0.01, 1))
def test_the_best_always_stays_and_the_scale_never_matters(scores: list[float], floor: float, gap: float) -> None:
    found = hits(*scores)
    kept = cut(found, floor=floor, gap=gap)
    assert list(kept) == found[: len(kept)]
    assert bool(kept) is bool(found)
    assert len(cut(found, floor=0, gap=2)) >= len(kept)
    doubled = hits(*(score * 2 for score in scores))
    assert len(cut(doubled, floor=floor, gap=gap)) == len(kept)
