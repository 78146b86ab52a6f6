"""Every word of a question finds the nearest word of a passage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from qandai.ports import Signs
from qandai.retrieval.likeness import SPREAD
from qandai.retrieval.wordwise import wordwise
from qandai.signs import pack
from tests.fakes import BagOfWordsEmbedder

MODELS = BagOfWordsEmbedder(dimension=384), BagOfWordsEmbedder(dimension=256)
OTHERS = ("rain fell on the town", "nobody sang", "bees sleep late", "the ferry stops", "old bread")


def signs(*texts: str, models: Sequence[BagOfWordsEmbedder] = MODELS) -> list[Signs]:
    return [np.concatenate([pack(model.read_query(text).words) for model in models], axis=1) for text in texts]


def near(question: str, *passages: str, weights: Sequence[float] = ()) -> list[float]:
    words = [model.read_query(question).words for model in MODELS]
    counted = np.array(weights or [1.0] * len(question.split()), np.float32)
    asked = wordwise(words, counted, signs(*OTHERS))
    assert asked is not None
    return asked.of(signs(*passages)).tolist()


def test_who_holds_more_of_the_words_is_nearer_wherever_they_stand() -> None:
    both, one, none = near("boats leak", "they leak as all boats do", "boats are built here", "we bake bread")
    assert both > one > none


def test_a_word_counts_what_it_weighs() -> None:
    boats, leak = near("boats leak", "boats here", "leak here", weights=(5.0, 1.0))
    assert boats > leak
    boats, leak = near("boats leak", "boats here", "leak here", weights=(1.0, 5.0))
    assert boats < leak


def test_more_words_beside_it_take_nothing_away() -> None:
    short, long = near("boats", "boats", "boats " + " ".join(OTHERS))
    assert short == pytest.approx(long, abs=1e-6)


def test_the_scale_is_how_far_it_stands_out_of_the_archive() -> None:
    asked = wordwise([model.read_query("rain bread").words for model in MODELS], np.ones(2, np.float32), signs(*OTHERS))
    assert asked is not None
    found = asked.of(signs(*OTHERS))
    assert found.mean() == pytest.approx(0, abs=1e-5)
    assert 0 < found.std() <= SPREAD + 1e-5


def test_it_does_not_depend_on_what_else_was_found() -> None:
    alone = near("boats leak", "boats are built here")
    assert near("boats leak", "we bake bread", "boats are built here")[1:] == pytest.approx(alone, abs=1e-6)


def meant(question: str, *passages: str, weights: Sequence[float] = ()) -> list[float]:
    words = [model.read_query(question).words for model in MODELS]
    asked = wordwise(words, np.array(weights or [1.0] * len(question.split()), np.float32), signs(*OTHERS))
    assert asked is not None
    return asked.meant(signs(*passages)).tolist()


def test_all_is_meant_where_every_word_is_said_and_less_where_a_weighty_one_is_missing() -> None:
    whole, boats, leak = meant("boats leak", "they leak as all boats do", "boats here", "leak here", weights=(5.0, 1.0))
    assert whole == pytest.approx(1, abs=0.01)
    assert whole > boats > leak > 0


def test_one_strange_word_takes_more_than_two_that_are_half_strange() -> None:
    both = np.eye(2, 384, dtype=np.float32)
    halfway = (both + np.eye(2, 384, k=2, dtype=np.float32)) / np.sqrt(np.float32(2))
    asked = wordwise([both], np.ones(2, np.float32), [pack(np.eye(9, 384, dtype=np.float32))])
    assert asked is not None
    one_missing, two_half_said = asked.meant([pack(both[:1]), pack(halfway)])
    assert two_half_said > one_missing


def test_where_words_are_not_told_apart_there_is_nothing_to_compare() -> None:
    words = [model.read_query("boats leak").words for model in MODELS]
    weights = np.ones(2, np.float32)
    none = np.zeros((0, 0), np.uint8)
    assert wordwise(words, weights, []) is None
    assert wordwise(words, weights, [*signs("boats"), none]) is None
    assert wordwise([words[0], words[1][:0]], weights, signs("boats")) is None
    assert wordwise(words, weights, signs("boats", models=MODELS[:1])) is None
    assert wordwise(words[:1], weights, signs("boats")) is not None
    assert wordwise(words, weights[:0], signs("boats")) is None
    assert wordwise(words, np.zeros(2, np.float32), signs("boats")) is None
