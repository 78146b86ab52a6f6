from __future__ import annotations

import numpy as np
import pytest

from eval.statistics import interval, paired


def test_an_interval_holds_its_figure_and_shrinks_with_more_questions() -> None:
    few, many = [1.0, 0.0] * 20, [1.0, 0.0] * 500
    wide, narrow = interval(few), interval(many)
    assert wide is not None
    assert narrow is not None
    assert wide[0] < 0.5 < wide[1]
    assert narrow[1] - narrow[0] < wide[1] - wide[0]
    assert narrow[1] - narrow[0] == pytest.approx(2 * 1.96 * 0.5 / 1000**0.5, rel=0.1)


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(0).random(80).tolist()
    assert interval(values, "median", seed=4) == interval(values, "median", seed=4)
    assert interval(values, "median", seed=4) != interval(values, "median", seed=5)


def test_nothing_has_no_interval() -> None:
    assert interval([]) is None


def test_equal_runs_do_not_differ() -> None:
    assert paired([1.0, 0.0, 1.0], [1.0, 0.0, 1.0]) == 1.0


def test_ten_gains_without_a_loss_are_no_luck() -> None:
    assert paired([0.0] * 10 + [1.0] * 50, [1.0] * 60) == pytest.approx(2 / 2**10, abs=0.002)


def test_as_many_gains_as_losses_may_be_luck() -> None:
    assert paired([1.0, 0.0] * 20, [0.0, 1.0] * 20) == 1.0


def test_lists_must_pair() -> None:
    with pytest.raises(ValueError, match="pair"):
        paired([1.0], [])
