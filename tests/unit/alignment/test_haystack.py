"""An index over words against looking at every word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qandai.alignment.haystack import Haystack, Letters
from tests.build import row

WORDS = st.lists(st.sampled_from("no where nowhere e-mail email part of start a art".split()), min_size=1, max_size=40)


@given(WORDS, st.data())
def test_letters_are_found_only_from_word_to_word(words: list[str], data: st.DataObject) -> None:
    letters = Letters(words)
    first = data.draw(st.integers(0, len(letters.tokens) - 1))
    wanted = letters.tokens[first : first + data.draw(st.integers(1, 4))]
    found = letters.find(wanted)
    assert letters.word[first] in [place for place, _ in found]
    for start, end in found:
        assert "".join(wanted) in "".join(words[start : end + 1]).replace("-", "")


def test_the_very_words_hide_those_that_only_share_their_letters() -> None:
    letters = Letters("nowhere to go and no where to go".split())
    assert letters.find(("no", "where")) == [(4, 5)]
    assert letters.find(("now", "here")) == [(0, 0), (4, 5)]


@given(WORDS, st.lists(st.sampled_from("no where email art of".split()), min_size=1, max_size=4), st.integers(1, 6))
def test_overlap_counts_which_of_the_wanted_words_a_window_holds(
    words: list[str], wanted: list[str], width: int
) -> None:
    hay = Haystack(row(" ".join(words)))
    said = hay.wording.tokens
    for place, height in enumerate(hay.overlap(wanted, width)):
        held = len(set(wanted) & set(said[place : place + width]))
        assert held - 1e-6 <= height <= 1.5 * held + 1e-6


def test_a_large_row_is_searched_by_its_index_with_the_same_result() -> None:
    small, large = row("we bought the old mill " * 5), row("we bought the old mill " * 500)
    assert Haystack(large).alike(["old", "mill"])[:5] == Haystack(small).alike(["old", "mill"])
