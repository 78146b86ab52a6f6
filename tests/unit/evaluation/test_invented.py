from __future__ import annotations

import pytest

from eval.invented import (
    Invented,
    check_prompt,
    fault,
    near_miss_prompt,
    placed,
    question_prompt,
    read_check,
    read_question,
    too_near,
)
from qandai.errors import Unusable
from tests.build import row

SAID = "Well I sold the boat in spring because the harbour wanted twice the rent and nobody sailed with me any more"
PASSAGE = row(SAID, at=100.0, offset=40).span(41, 60)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Why did you give up sailing?", None),
        ("Γιατί πούλησες το σκάφος;", None),
        ("You gave up sailing.", "no question"),
        ("", "nothing to ask"),
        ("?!", "nothing to ask"),
        ("Why " + "ever " * 40 + "?", "too long"),
        ("What does the passage say about boats?", "speaks of the passage"),
    ],
)
def test_what_no_visitor_would_ask_is_refused(question: str, reason: str | None) -> None:
    assert fault(question) == reason


@pytest.mark.parametrize(
    ("invented", "reason"),
    [
        (Invented("Why did you give up sailing?", "because the harbour wanted twice the rent"), None),
        (Invented("Was it that nobody sailed with me?"), "copies the passage"),
        (Invented("Which harbour wanted more rent?"), "says it in the passage's words"),
        (Invented("Did costs like the doubled rent matter, twice?", "twice the rent"), "holds the answer"),
    ],
)
def test_a_question_that_gives_its_passage_away_is_refused(invented: Invented, reason: str | None) -> None:
    assert too_near(invented, PASSAGE) == reason


def test_the_answer_lies_where_it_was_said_or_there_is_none() -> None:
    found = placed(Invented("why?", "because the harbour wanted twice the rent"), PASSAGE)
    assert found is not None
    assert found.text.startswith("because the harbour")
    assert found.start == pytest.approx(100.0 + 7 * 0.5)
    assert placed(Invented("why?", "because of a storm that sank it off the coast"), PASSAGE) is None
    assert placed(Invented("why?", ""), PASSAGE) is None


def test_replies_are_read_as_they_come() -> None:
    told = read_question('Sure!\n```json\n{"question": "Why\\nso?", "answer": "because"}\n```')
    assert told == Invented("Why so?", "because")
    assert read_check('{"answered": true}')
    for reply in ("Why so?", '{"question": 3}'):
        with pytest.raises(Unusable):
            read_question(reply)
    with pytest.raises(Unusable):
        read_check('{"answered": "perhaps"}')


def test_the_specimens_are_in_the_form_that_is_asked_for() -> None:
    own = read_question(question_prompt(PASSAGE, "en").specimen)
    assert placed(own, PASSAGE) is not None
    assert fault(own.question) is None
    assert fault(read_question(near_miss_prompt(PASSAGE, "en").specimen).question) is None
    assert read_check(check_prompt("why?", ()).specimen) is False
