from __future__ import annotations

from pathlib import Path

import pytest

from eval.options import Cell, cells
from qandai.errors import UsageError


def test_several_values_make_a_grid() -> None:
    labels = [cell.label for cell in cells(["passage_chars=200,300", "fusion=rrf,votes"])]
    assert labels == [
        "passage_chars=200 · fusion=rrf",
        "passage_chars=200 · fusion=votes",
        "passage_chars=300 · fusion=rrf",
        "passage_chars=300 · fusion=votes",
    ]


def test_without_a_change_the_program_ranks_as_it_does_for_visitors(tmp_path: Path) -> None:
    assert cells([]) == (Cell(),)
    settings = Cell().settings(home=tmp_path)
    assert Cell().ranking(settings).fusion == settings.fusion


def test_the_seed_is_long_passages_vectors_and_short_runs(tmp_path: Path) -> None:
    (seed,) = cells(["preset=seed"])
    settings = seed.settings(home=tmp_path)
    ranking = seed.ranking(settings)
    assert (settings.passage_chars, settings.top_k) == (1000, 5)
    assert (ranking.fusion, ranking.keep, ranking.w_original) == ("vectors", 8, 3.0)


def test_what_is_given_beside_a_preset_goes_before_it(tmp_path: Path) -> None:
    (cell,) = cells(["preset=seed", "passage_chars=500"])
    assert cell.settings(home=tmp_path).passage_chars == 500


def test_votes_are_counted_though_no_setting_offers_them(tmp_path: Path) -> None:
    (cell,) = cells(["fusion=votes"])
    assert cell.ranking(cell.settings(home=tmp_path)).fusion == "votes"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("passage_char=3", "passage_chars"),
        ("preset=sed", "preset"),
        ("fusion=magic", "fusion"),
        ("passage_cut=magic", "passage_cut"),
        ("fusion", "key=value"),
    ],
)
def test_a_mistake_is_named(given: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        cells([given])


def test_a_value_out_of_bounds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1000"):
        cells(["passage_chars=5000"])[0].settings(home=tmp_path)
