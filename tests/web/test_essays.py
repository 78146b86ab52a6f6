from __future__ import annotations

import pytest

from qandai.answer import Statement
from qandai.web.essays import pieces, scale_words, sentence


@pytest.mark.parametrize(
    ("text", "cites", "shown"),
    [
        ("Bees dance [1].", (1,), "Bees dance [1]."),
        ("Bees dance.", (1, 2), "Bees dance. [1][2]"),
        ("Bees dance [1][2] and sing [3].", (1, 2, 3), "Bees dance [1][2] and sing [3]."),
        ("Bees dance [9].", (1,), "Bees dance. [1]"),
        ("[1] Bees dance", (1,), "[1] Bees dance"),
        ("[2] alone", (), " alone"),
        ("In [2019] they danced [1].", (1,), "In [2019] they danced [1]."),
        ("", (4,), "[4]"),
    ],
)
def test_a_sentence_shows_what_supports_it_and_nothing_else(text: str, cites: tuple[int, ...], shown: str) -> None:
    statement = Statement(text, cites)
    assert sentence(statement) == shown
    assert {piece for piece in pieces(statement) if isinstance(piece, int)} == set(cites)


def test_the_scale_is_told_in_words() -> None:
    assert scale_words((1, 1)) == "1 of 1 recording"
    assert scale_words((3, 1200)) == "3 of 1,200 recordings"
