"""An archive of two models, read as if it had one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from eval.shelf import MemoryShelf
from qandai.ensemble import join
from qandai.signs import side_by_side
from tests.build import row, shelf
from tests.fakes import BagOfWordsEmbedder


@pytest.mark.parametrize("dimensions", [(384, 256), (100, 384), (12, 20)])
def test_a_part_is_what_the_model_alone_would_have_made(dimensions: tuple[int, int]) -> None:
    text = row("The boat leaked. I had to sell it. Nobody wanted a boat.")
    alone = [shelf(text, embedder=BagOfWordsEmbedder(dimension=dimension), chars=30) for dimension in dimensions]
    leaves = [
        replace(one, vectors=join([one.vectors, two.vectors]), signs=side_by_side([one.signs, two.signs]))
        for one, two in zip(alone[0].leaves, alone[1].leaves, strict=True)
    ]
    both = MemoryShelf(leaves, join([held.vectors for held in alone]))
    for model, held in enumerate(alone):
        part = both.part(dimensions, model)
        assert part.vectors == pytest.approx(held.vectors, abs=1e-6)
        for one, two in zip(part.leaves, held.leaves, strict=True):
            assert np.array_equal(one.signs, two.signs)
            assert one.vectors == pytest.approx(two.vectors, abs=1e-6)
