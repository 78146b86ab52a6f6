from __future__ import annotations

from dataclasses import replace

import pytest

from qandai.adapters.chroma_shelf import check_recipe, describe
from qandai.errors import StoreStale
from qandai.ports import Recipe

RECIPE = Recipe("minilm", 300, 0)


def test_a_collection_is_read_by_the_rules_that_it_was_made_by() -> None:
    for recipe in (RECIPE, replace(RECIPE, passage_cut="topics")):
        check_recipe("ann", describe(recipe, dimension=384), recipe)


def test_any_other_rule_is_named() -> None:
    described = describe(RECIPE, dimension=384)
    with pytest.raises(StoreStale, match=r"QANDAI_PASSAGE_CUT sentences.*now say topics.*index ann --rebuild"):
        check_recipe("ann", described, replace(RECIPE, passage_cut="topics"))
    with pytest.raises(StoreStale, match="QANDAI_PASSAGE_OVERLAP 0"):
        check_recipe("ann", described, replace(RECIPE, passage_overlap=50))


def test_what_was_indexed_before_there_was_a_choice_was_cut_at_sentences() -> None:
    described = {key: value for key, value in describe(RECIPE, dimension=384).items() if key != "passage_cut"}
    check_recipe("ann", described, RECIPE)
    with pytest.raises(StoreStale, match="QANDAI_PASSAGE_CUT sentences"):
        check_recipe("ann", described, replace(RECIPE, passage_cut="topics"))
