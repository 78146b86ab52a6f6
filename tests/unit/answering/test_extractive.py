from __future__ import annotations

from dataclasses import replace

import pytest

from qandai.answering.extractive import ExtractiveSelector, confidence
from qandai.model import Excerpt, Question
from qandai.ports import Calibration
from tests.build import excerpt
from tests.fakes import BagOfWordsEmbedder

EMBEDDER = BagOfWordsEmbedder(dimension=512)
USUAL = Calibration(floor=0.3)
ASKED = Question("ann", "why did you sell the boat")
SAID = excerpt((None, "I had to sell the boat."), question=ASKED.text, embedder=EMBEDDER)


def test_below_the_floor_it_was_never_said() -> None:
    assert ExtractiveSelector(Calibration(0.99)).select(ASKED, [SAID], [SAID.passage]) == ()
    assert ExtractiveSelector(USUAL).select(ASKED, [SAID], [SAID.passage]) == (SAID.passage,)


def test_nothing_found_is_never_said() -> None:
    assert ExtractiveSelector(USUAL).select(ASKED, [], []) == ()
    assert confidence([], USUAL) == -1.0


def test_the_same_cosine_says_less_in_a_large_archive() -> None:
    large = replace(SAID, hit=replace(SAID.hit, chance=0.2))
    assert confidence([large], USUAL) < confidence([SAID], USUAL)


def test_the_best_excerpt_decides_how_sure_an_answer_is() -> None:
    far = replace(SAID, hit=replace(SAID.hit, cosine=0.1))
    assert confidence([far, SAID], USUAL) == confidence([SAID], USUAL)


def test_words_that_are_said_count_as_much_as_the_model_wants() -> None:
    none, some = Calibration(0.3, words=0.0), Calibration(0.3, words=0.1)
    held = 3 / 6  # sell, the, boat
    assert confidence([replace(SAID, terms=dict.fromkeys(SAID.terms, 1.0))], some) == pytest.approx(
        confidence([SAID], none) + 0.1 * held
    )


def test_a_question_in_another_language_is_measured_by_its_meaning_alone() -> None:
    foreign = replace(SAID, terms={})
    assert confidence([foreign], Calibration(0.3, words=0.5, across=0.1)) == pytest.approx(SAID.hit.cosine + 0.1)


def test_what_is_meant_makes_surer_from_a_point_on_and_less_sure_below_it() -> None:
    weighed = Calibration(0.3, meant=2.0, meant_floor=0.7)
    alone = confidence([SAID], weighed)
    far, near = replace(SAID, meant=0.6), replace(SAID, meant=0.8)
    assert confidence([far], weighed) == pytest.approx(alone - 0.2)
    assert confidence([far, near], weighed) == pytest.approx(alone + 0.2)
    assert confidence([near], USUAL) == confidence([SAID], USUAL)  # where nobody measured it


def test_in_another_language_less_has_to_be_meant() -> None:
    weighed = Calibration(0.3, meant=2.0, meant_floor=0.7, meant_across=0.1)
    assert confidence([replace(SAID, terms={}, meant=0.6)], weighed) == pytest.approx(SAID.hit.cosine)
    unmeasured = replace(SAID, terms={}, meant=None)
    assert confidence([unmeasured], weighed) == pytest.approx(SAID.hit.cosine)


@pytest.mark.parametrize("text", ["?!", "🙂🙂", "♪", "ʼ", " . "])
def test_marks_without_a_word_were_never_answered(text: str) -> None:
    sure = Calibration(-5.0)
    assert ExtractiveSelector(sure).select(replace(ASKED, text=text), [SAID], [SAID.passage]) == ()
    assert ExtractiveSelector(sure).select(ASKED, [SAID], [SAID.passage]) == (SAID.passage,)


def imagined(nearness: float) -> Excerpt:
    return replace(SAID, hit=replace(SAID.hit, imagined=nearness))


def test_imagined_answers_that_come_near_make_surer_and_others_less_sure() -> None:
    weighed = Calibration(0.3, imagined=2.0, imagined_floor=0.4)
    alone = confidence([SAID], weighed)
    assert confidence([imagined(0.45)], weighed) == pytest.approx(alone + 0.1)
    assert confidence([imagined(0.35)], weighed) == pytest.approx(alone - 0.1)


@pytest.mark.parametrize("nearness", [-1.0, 1.0])
def test_imagined_answers_decide_nothing_alone(nearness: float) -> None:
    weighed = Calibration(0.3, imagined=2.0, imagined_floor=0.4)
    assert abs(confidence([imagined(nearness)], weighed) - confidence([SAID], weighed)) == pytest.approx(0.15)
    assert confidence([imagined(nearness)], USUAL) == confidence([SAID], USUAL)  # where nobody measured it
