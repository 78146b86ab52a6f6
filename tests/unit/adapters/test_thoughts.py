"""What a model thinks never reaches a reader, however its reply is cut into pieces."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.adapters.thoughts import Veil, without_thoughts
from qandai.errors import Unusable

_BITS = ("<think>", "</think>", "<THINKING>", "</thinking>", "<", ">", "/", "think", "a", " ", "<thi", "b < c", "\n")


def through(pieces: list[str]) -> str | None:
    """What a reader of a stream sees; None where it ends in an error."""
    veil = Veil()
    try:
        return ("".join(veil.feed(piece) for piece in pieces) + veil.end()).strip()
    except Unusable:
        return None


@given(st.lists(st.sampled_from(_BITS), max_size=30), st.randoms(use_true_random=False))
def test_borders_between_pieces_do_not_matter(bits: list[str], random: object) -> None:
    text = "".join(bits)
    cuts = sorted(random.randrange(len(text) + 1) for _ in range(5))  # type: ignore[attr-defined]
    pieces = [text[low:high] for low, high in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    try:
        whole: str | None = without_thoughts(text)
    except Unusable:
        whole = None
    seen = through(pieces)
    assert seen in (whole, None), "a stream shows the same, or that it cannot"
    if "</" not in text or whole is None:
        assert seen == whole


@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=20), st.integers(1, 9))
def test_what_is_thought_is_never_seen(before: str, after: str, thought: str, size: int) -> None:
    before, after, thought = (text.replace("<", "").replace(">", "") for text in (before, after, thought))
    text = f"{before}<think>{thought}</think>{after}"
    assert without_thoughts(text) == (before + after).strip()
    assert through([text[at : at + size] for at in range(0, len(text), size)]) == (before + after).strip()


def test_a_sign_that_is_no_tag_is_held_no_longer_than_it_must_be() -> None:
    veil = Veil()
    assert veil.feed("a <") == "a "
    assert veil.feed("th") == ""
    assert veil.feed("at> b") == "<that> b"
    assert veil.feed("1 < 2") == "1 < 2"
    assert veil.end() == ""


def test_thoughts_that_do_not_end_are_no_answer() -> None:
    for text in ("<think>hm", "2: yes <thinking>hm", "a</think>b<think>c"):
        with pytest.raises(Unusable):
            without_thoughts(text)


def test_a_megabyte_of_tags_takes_no_time() -> None:
    for text in ("<think>" * 150_000, "<" * 1_000_000, "<think></think>" * 70_000, "< " * 500_000):
        began = time.monotonic()
        through([text])
        through([text[at : at + 1000] for at in range(0, len(text), 1000)])
        assert time.monotonic() - began < 2
