from __future__ import annotations

import pytest

from qandai.model import Person, Question
from qandai.retrieval.expand import expand, put_right

HEARD = {"cubes os": "Qubes OS", "cubes": "Qubes", "secure drop": "SecureDrop", "οδός": "Οδύσσεια"}


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("is cubes os safe?", "is Qubes OS safe?"),
        ("Cubes, or SECURE drop?", "Qubes, or SecureDrop?"),
        ("τι είναι ΟΔΟΣ;", "τι είναι Οδύσσεια;"),
        ("sugar cubesos", "sugar cubesos"),
        ("", ""),
    ],
)
def test_mishearings_are_put_right_whatever_their_case_and_accents(typed: str, searched: str) -> None:
    assert put_right(typed, HEARD) == searched


def test_without_mishearings_a_question_stays_as_it_is() -> None:
    query = expand(Question("ann", "What  is a boat?"), Person("ann", "Ann"))
    assert (query.text, query.weight) == ("What is a boat?", 1.0)
