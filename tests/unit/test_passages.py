"""Cutting rows of words: what is kept, where cuts fall, and what never moves them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.model import Row, Video, Word
from qandai.passages import MAX_CHARS, cut, ends_sentence, sentences, stitch
from qandai.ports import Leaf

VIDEO = Video("v", "A talk")

texts = st.lists(
    st.sampled_from(["so", "Qubes", "isolation", "it,", "works.", "Why?", "because", "x" * 40, "Dr.", "yes!"]),
    min_size=1,
    max_size=300,
)
pauses = st.lists(st.sampled_from([0.0, 0.1, 0.7, 2.5]), min_size=1, max_size=20)


def spoken(parts: list[str], gaps: list[float] | None = None, *, exact: bool = True) -> Row:
    words: list[Word] = []
    at = 0.0
    for i, text in enumerate(parts):
        words.append(Word(text, at, at + 0.3, exact=exact))
        at += 0.3 + (gaps[i % len(gaps)] if gaps else 0.0)
    return Row(VIDEO, tuple(words))


@given(texts, pauses, st.integers(50, 1000), st.integers(0, 200))
def test_passages_hold_every_word_in_order_and_keep_within_bounds(
    parts: list[str], gaps: list[float], chars: int, overlap: int
) -> None:
    row = spoken(parts, gaps)
    passages = cut(row, chars=chars, overlap=overlap)
    assert passages[0].span.first == 0
    assert passages[-1].span.last == row.last
    for before, after in pairwise(passages):
        assert before.span.first < after.span.first <= before.span.last + 1
    assert all(len(passage.text) <= MAX_CHARS for passage in passages)
    for passage in passages:
        tiled = [position for s in passage.sentences for position in range(s.first, s.last + 1)]
        assert tiled == list(range(passage.span.first, passage.span.last + 1))


@given(texts, pauses)
def test_without_overlap_each_word_lies_in_one_passage(parts: list[str], gaps: list[float]) -> None:
    row = spoken(parts, gaps)
    assert " ".join(passage.text for passage in cut(row)) == row.whole().text


@given(texts, pauses, st.integers(0, 150))
def test_stored_neighbours_stitch_back_to_the_row(parts: list[str], gaps: list[float], overlap: int) -> None:
    row = spoken(parts, gaps)
    passages = cut(row, overlap=overlap)
    leaves = [leaf_of(p.span.words, p.span.first, [(s.first, s.last) for s in p.sentences]) for p in passages]
    stitched, units, vectors = stitch(leaves)
    assert stitched.words == row.words
    assert [(u.first, u.last) for u in units] == [(u.first, u.last) for u in sentences(row)]
    assert [int(v[0]) for v in vectors] == [u.first for u in units]


def leaf_of(words: tuple[Word, ...], first: int, borders: list[tuple[int, int]]) -> Leaf:
    row = Row(VIDEO, words, first)
    vectors = np.array([[float(begin)] for begin, _ in borders], dtype=np.float32)
    return Leaf(row.whole(), tuple(row.span(*border) for border in borders), vectors)


def test_passages_with_a_hole_between_them_are_not_stitched() -> None:
    row = spoken(["a", "b", "c"])
    with pytest.raises(ValueError, match="does not follow"):
        stitch([leaf_of(row.words[:1], 0, [(0, 0)]), leaf_of(row.words[2:], 2, [(2, 2)])])


def test_estimated_times_never_move_a_cut() -> None:
    parts = ("we had to stop there because nobody knew what the machine was doing and then it " * 8).split()
    packed = spoken(parts, exact=False)
    spread = spoken(parts, [0.0, 0.0, 3.0], exact=False)
    assert [p.id for p in cut(packed)] == [p.id for p in cut(spread)]


def test_unpunctuated_speech_is_cut_at_its_pauses() -> None:
    parts = ("one two three four five six seven eight " * 8).split()
    gaps = [0.0] * 7 + [0.8]
    borders = [unit.first for unit in sentences(spoken(parts, gaps))]
    assert all(first % 8 == 0 for first in borders)
    assert len(borders) > 2


def test_pauses_that_grow_to_the_end_are_cut_all_the_same() -> None:
    count = 5000
    units = sentences(spoken(["word"] * count, [0.5 * place / count for place in range(count)]))
    assert [unit.first for unit in units[1:]] == [unit.last + 1 for unit in units[:-1]]
    assert (units[0].first, units[-1].last) == (0, count - 1)
    assert max(len(unit.words) for unit in units) <= 30


def test_a_turn_ends_a_sentence() -> None:
    words = list(spoken("do you like it I do".split()).words)
    words[4] = replace(words[4], turn=True)
    assert [s.text for s in sentences(Row(VIDEO, tuple(words)))] == ["do you like it", "I do"]


@pytest.mark.parametrize(
    ("word", "following", "language", "ends"),
    [
        ("done.", "Then", "en", True),
        ("Dr.", "Who", "en", False),
        ("U.S.", "Army", "en", False),
        ("I.", "Then", "en", True),
        ("no.", "Then", "en", True),
        ("wait...", "what", "en", False),
        ("wait…", "What", "en", True),
        ("«pourquoi?»", "Il", "fr", True),
        ("γιατί;", "Επειδή", "el", True),
        ("first;", "Second", "en", False),
        ("です。", "はい", "ja", True),
        ("3.5", "GB", "en", False),
        ("." * 100_000 + "x", "Then", "en", False),
    ],
)
def test_sentence_ends(word: str, following: str, language: str, ends: bool) -> None:
    assert ends_sentence(word, following, language=language) is ends


def test_passages_are_about_as_long_as_asked() -> None:
    parts = ("This is a sentence of some eight words. " * 60).split()
    lengths = [len(p.text) for p in cut(spoken(parts), chars=300)]
    assert 250 < np.mean(lengths) < 350
