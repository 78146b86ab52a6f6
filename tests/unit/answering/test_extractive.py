from __future__ import annotations

from dataclasses import replace

from qandai.answering.extractive import ExtractiveSelector, confidence
from qandai.model import Question
from tests.build import excerpt
from tests.fakes import BagOfWordsEmbedder

EMBEDDER = BagOfWordsEmbedder(dimension=512)
ASKED = Question("ann", "why did you sell the boat")
SAID = excerpt((None, "I had to sell the boat."), question=ASKED.text, embedder=EMBEDDER)


def test_below_the_floor_it_was_never_said() -> None:
    assert ExtractiveSelector(floor=0.99).select(ASKED, [SAID]) == ()
    assert ExtractiveSelector(floor=0.3).select(ASKED, [SAID])[0].text == "I had to sell the boat."


def test_nothing_found_is_never_said() -> None:
    assert ExtractiveSelector(floor=0.3).select(ASKED, []) == ()
    assert confidence([]) == -1.0


def test_the_same_cosine_says_less_in_a_large_archive() -> None:
    large = replace(SAID, hit=replace(SAID.hit, chance=0.2))
    assert confidence([large]) < confidence([SAID])


def test_the_best_excerpt_decides_how_sure_an_answer_is() -> None:
    far = replace(SAID, hit=replace(SAID.hit, cosine=0.1))
    assert confidence([far, SAID]) == confidence([SAID])
