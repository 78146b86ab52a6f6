from __future__ import annotations

import pytest

from qandai.answering.questions import is_question


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Why do names get lost?", "en"),
        ("“Is it dangerous?”", "en"),
        ("so how long did that take you", "en"),
        ("okay and what about the harbour", "en-GB"),
        ("Πώς γνωρίσατε τη γυναίκα σας;", "el"),
        ("λοιπόν γιατί φύγατε", "el"),
        ("pourquoi êtes-vous parti", "fr"),
        ("هل هذا صحيح؟", "ar"),
    ],
)
def test_what_asks_is_a_question(text: str, language: str) -> None:
    assert is_question(text, language=language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What we did was sell the boat.", "en"),
        ("I sold it;", "en"),
        ("we went to see who was there", "en"),
        ("Πούλησα τη βάρκα.", "el"),
        ("", "en"),
        ("so and okay", "en"),
    ],
)
def test_what_tells_is_none(text: str, language: str) -> None:
    assert not is_question(text, language=language)
