"""Several models asked the same."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, get_ident

import numpy as np
import pytest
from numpy.typing import NDArray

from qandai.ensemble import read_queries
from qandai.errors import ModelMissing
from tests.fakes import BagOfWordsEmbedder


class Asked(BagOfWordsEmbedder):
    """Does something before it answers."""

    def __init__(self, before: Callable[[], object]) -> None:
        super().__init__()
        self._before = before

    def query(self, text: str) -> NDArray[np.float32]:
        self._before()
        return super().query(text)


def test_a_question_has_the_vectors_that_the_models_give_it_one_after_the_other() -> None:
    models = tuple(BagOfWordsEmbedder(dimension=dimension) for dimension in (8, 16, 32))
    found = read_queries(models, ["why did you sell it"])[0]
    assert [reading.vector.tolist() for reading in found] == [
        model.query("why did you sell it").tolist() for model in models
    ]


def test_models_work_side_by_side() -> None:
    together = Barrier(2, timeout=10)  # whoever is asked first waits for the other
    assert len(read_queries((Asked(together.wait), Asked(together.wait)), ["hello"])[0]) == 2


def test_a_single_model_works_on_the_thread_that_asks() -> None:
    seen: list[int] = []
    read_queries((Asked(lambda: seen.append(get_ident())),), ["hello"])
    assert seen == [get_ident()]


@pytest.mark.parametrize("broken", [0, 1])
def test_what_fails_in_one_model_fails_the_question(broken: int) -> None:
    def fail() -> None:
        raise ModelMissing("it is gone")

    models = [Asked(lambda: None), Asked(lambda: None)]
    models[broken] = Asked(fail)
    with pytest.raises(ModelMissing, match="it is gone"):
        read_queries(tuple(models), ["hello"])
