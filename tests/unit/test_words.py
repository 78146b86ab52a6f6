"""Cutting texts into words and giving untimed words a time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from qandai.model import join
from qandai.words import Entry, Token, fill, glued, joins, said, split, spread

LAW = settings(max_examples=50, deadline=None)  # busy machines are slow, and that is no failure

TEXT = st.text(st.sampled_from("ab é1,.'-> 世あสวั「」\n"), max_size=30)


def texts(text: str) -> list[str]:
    return [token.text for token in split(text)]


def test_thai_words_are_cut_between_letters_and_never_before_a_vowel_sign() -> None:
    assert texts("สวัสดี ครับ") == ["ส", "วั", "ส", "ดี", "ค", "รั", "บ"]
    assert [token.glued for token in split("สวัสดี ครับ")] == [False, True, True, True, False, True, True]


def test_marks_stay_with_their_character_and_other_scripts_stay_whole() -> None:
    assert texts("「Google検索」は3.5倍！") == ["「Google", "検", "索」", "は", "3.5", "倍！"]


def test_speaker_marks_are_turns_and_no_words() -> None:
    assert [(token.text, token.turn) for token in split(">> so a>>b >>>yes >>")] == [
        ("so", True),
        ("a>>b", False),
        ("yes", True),
    ]


@LAW
@given(TEXT)
def test_no_letter_is_lost_and_the_text_comes_back(text: str) -> None:
    words = said(text, 1.0, 2.0)
    plain = " ".join(chunk.lstrip(">") if chunk.startswith(">>") else chunk for chunk in text.split())
    assert join(words) == " ".join(plain.split())
    assert all(word.text.split() == [word.text] for word in words)


@LAW
@given(st.lists(st.text("abc", max_size=9), max_size=20), st.floats(0, 1e5), st.one_of(st.none(), st.floats(0, 1e5)))
def test_spread_times_stay_in_order_and_in_bounds(words: list[str], start: float, length: float | None) -> None:
    end = None if length is None else start + length
    times = spread(words, start, end)
    flat = [time for pair in times for time in pair]
    assert flat == sorted(flat)
    assert len(times) == len(words)
    if times:
        assert times[0][0] == start
        assert end is None or times[-1][1] <= end


def test_longer_words_take_longer() -> None:
    assert spread(["a", "bbb"], 1.0, 2.0) == [(1.0, 1.25), (1.25, 2.0)]


def test_words_without_an_end_take_the_time_of_ordinary_speech() -> None:
    assert spread(["four", "words"], 0.0, None)[-1][1] == 0.6


def test_untimed_words_share_the_time_between_their_neighbours() -> None:
    entries = [
        Entry(Token("a"), None, None),
        Entry(Token("b"), 2.0, 2.5),
        Entry(Token("c"), None, None),
        Entry(Token("d"), None, None),
        Entry(Token("e"), 3.5, None),
    ]
    words = fill(entries, 1.0, 4.0)
    assert [(word.start, word.end, word.exact) for word in words] == [
        (1.0, 2.0, False),
        (2.0, 2.5, True),
        (2.5, 3.0, False),
        (3.0, 3.5, False),
        (3.5, 4.0, True),
    ]


def test_a_text_tells_which_words_stand_without_a_space() -> None:
    assert glued(["Goog", "le", "検", "索"], "Goog le検索") == [False, False, True, True]
    assert glued(["世", "界", "ab", "cd"], "another text") == [False, True, False, False]


def test_only_chinese_and_japanese_go_on_without_a_space() -> None:
    assert joins("。", "谁")
    assert not joins("บ", "ว")
    assert not joins("a", "界")
    assert not joins("", "界")
