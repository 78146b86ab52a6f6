"""The vocabulary as a prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qandai.ingest.transcribe.prompt import CHARACTERS, TOKENS, prompt, tokens_at_most

terms = st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60), max_size=200)


def test_the_most_important_term_stands_last() -> None:
    assert prompt(["Qubes OS", "SecureDrop", "BM25"]) == "BM25, SecureDrop, Qubes OS"


def test_too_long_a_vocabulary_keeps_its_first_terms_whole() -> None:
    vocabulary = [f"Important{number} Name" for number in range(200)]
    kept = prompt(vocabulary).split(", ")
    assert kept[-1] == vocabulary[0]
    assert kept == list(reversed(vocabulary[: len(kept)]))
    assert 10 < len(kept) < 200


def test_twelve_hundred_characters_are_trimmed_to_what_groq_takes() -> None:
    vocabulary = ["internationalisation"] + [f"{'abcdefghij'[number % 10] * 11}" for number in range(100)]
    assert sum(map(len, vocabulary)) > 1100
    assert len(prompt(vocabulary, tokens=10_000)) <= 896
    assert prompt(vocabulary, tokens=10_000).endswith("internationalisation")


@given(terms)
def test_a_prompt_keeps_its_limits_and_the_order_of_importance(vocabulary: list[str]) -> None:
    made = prompt(vocabulary)
    assert len(made) <= CHARACTERS
    cleaned = list(dict.fromkeys(" ".join(term.split()) for term in vocabulary))
    wanted = [term for term in cleaned if term]
    if made:
        count = next(n for n in range(1, len(wanted) + 1) if ", ".join(reversed(wanted[:n])) == made)
        assert sum(tokens_at_most(term) + 1 for term in wanted[:count]) <= TOKENS
    elif wanted:
        assert tokens_at_most(wanted[0]) + 1 > TOKENS or len(wanted[0]) > CHARACTERS


def test_white_space_and_doubles_cost_nothing() -> None:
    assert prompt(["  Qubes \n OS", "", "Qubes OS"]) == "Qubes OS"
