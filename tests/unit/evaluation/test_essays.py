from __future__ import annotations

import pytest

from eval.essays import metrics, support, written
from eval.questions import Asked, Moment
from qandai.answer import Answer, Essay, NoAnswer, Statement
from qandai.model import Clip, Excerpt, Question, Quote
from tests.build import excerpt
from tests.fakes import BagOfWordsEmbedder

QUESTION = Question("ann", "why did you sell?", "synthesis")
BOAT = "I sold the boat in spring because the harbour wanted more rent."
TEA = "Later we drank a lot of tea together with the neighbours."


def read(text: str, number: int, at: float) -> Excerpt:
    return excerpt((None, text), question="why?", embedder=BagOfWordsEmbedder(), at=at, number=number)


EXCERPTS = (read(BOAT, 1, 100.0), read(TEA, 2, 500.0))


def answer(*statements: Statement) -> Answer:
    clip = Clip(Quote(EXCERPTS[0].passage), 100.0, 105.0, True)
    return Answer(QUESTION, clip, (), EXCERPTS, essay=Essay(EXCERPTS, (clip, clip), statements))


def asked(start: float) -> Asked:
    return Asked("1", "why did you sell?", (Moment("talk1", start, start + 5, start),))


def test_a_text_holds_the_answer_when_what_it_cites_does() -> None:
    told = Statement("She sold the boat because of the rent.", (1,))
    for start, holds in ((101.0, True), (501.0, False)):
        found = written(asked(start), answer(told))
        assert found is not None
        assert found.holds is holds


def test_highlights_stand_in_where_no_text_was_written() -> None:
    found = written(asked(501.0), answer())
    assert found is not None
    assert (found.holds, found.missing, found.contains) == (True, True, None)


def test_a_text_says_the_words_that_it_must() -> None:
    wanted = Asked("1", "why?", contains=(("more", "rent"),))
    for text, contains in (("The harbour wanted more rent.", True), ("The harbour was dear.", False)):
        found = written(wanted, answer(Statement(text, (1,))))
        assert found is not None
        assert found.contains is contains


def test_a_sentence_is_supported_by_what_it_cites_and_by_nothing_else() -> None:
    essay = answer().essay
    assert essay is not None
    told = "The harbour wanted more rent, so she sold her boat."
    assert support(Statement(told, (1,)), essay) == 1
    assert support(Statement(told, (2,)), essay) == 0


def test_figures_are_of_what_was_written_and_a_refusal_holds_no_answer() -> None:
    good = written(asked(101.0), answer(Statement("The harbour wanted more rent.", (1,)), Statement("Pigs fly.", (2,))))
    figures = metrics([(asked(101.0), good), (asked(1.0), written(asked(1.0), NoAnswer(QUESTION, ())))])
    assert figures == {
        "holds_answer": 0.5,
        "contains": None,
        "text_missing": 0,
        "sentences": 2,
        "supported": pytest.approx(0.5),
        "citations": 2,
    }
