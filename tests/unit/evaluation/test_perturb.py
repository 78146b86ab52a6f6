"""Quotes with a fault, and where their first said word lies."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.perturb import PERTURBATIONS, quoted

VOCABULARY = ["mill", "river", "stone"]
SAID = "um it's twenty five miles and you know we do not have 3 boats so I mean that is what we'd been told".split()


@pytest.mark.parametrize(
    ("perturbation", "text"),
    [
        ("verbatim", " ".join(SAID)),
        ("fillers_dropped", "it's twenty five miles and we do not have 3 boats so that is what we'd been told"),
        (
            "contractions_opened",
            "um it is twenty five miles and you know we do not have 3 boats so I mean that is what we'd been told",
        ),
        (
            "contractions_closed",
            "um it's twenty five miles and you know we don't have 3 boats so I mean that's what we'd been told",
        ),
        ("digits", "um it's 25 miles and you know we do not have 3 boats so I mean that is what we'd been told"),
        (
            "spelled",
            "um it's twenty five miles and you know we do not have three boats so I mean that is what we'd been told",
        ),
    ],
)
def test_each_fault_is_what_its_name_says(perturbation: str, text: str) -> None:
    assert quoted(perturbation, SAID, Random(1), VOCABULARY).text == text


@given(st.sampled_from(sorted(PERTURBATIONS)), st.integers(0, 1000), st.integers(15, 60))
def test_the_quote_holds_the_word_that_counts_as_its_start(perturbation: str, seed: int, size: int) -> None:
    words = [f"w{place}" for place in range(size)]
    quote = quoted(perturbation, words, Random(seed), VOCABULARY)
    typed = quote.text.lower().replace("“", "").split()
    assert any(word.startswith(f"w{quote.first}") for word in typed)
    earlier = {f"w{place}" for place in range(quote.first)}
    assert not earlier & {word.strip(".,?!”…") for word in typed}


def test_a_filler_at_the_start_moves_the_start() -> None:
    assert quoted("fillers_dropped", SAID, Random(1), VOCABULARY).first == 1


def test_the_same_seed_makes_the_same_quote() -> None:
    for perturbation in PERTURBATIONS:
        one, other = (quoted(perturbation, SAID, Random("7"), VOCABULARY) for _ in range(2))
        assert one == other
