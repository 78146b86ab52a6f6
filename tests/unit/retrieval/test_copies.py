from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from qandai.retrieval.copies import distinct

SAID = "So we sold the shop in March, and nobody was sadder about it than the man who had swept its floor for years."
HEARD = "so we sold the shop in march and nobody was sadder about it than the man who had swept his floor for years"
BREAD = "Bread wants time and a warm oven, every day of the year, and flour from a mill that you know."
ASKED = "Before we go into our main topic, let's start with your background. Can you tell us about it?"


def kept(*texts: str, alike: float = 0.6, after: tuple[str, ...] | None = None) -> list[int]:
    following = after or ("",) * len(texts)
    return list(distinct(range(len(texts)), texts.__getitem__, following.__getitem__, alike=alike))


def test_what_was_said_before_is_left_out_though_a_word_was_heard_otherwise() -> None:
    assert kept(SAID, BREAD, HEARD) == [0, 1]


def test_the_better_copy_stays() -> None:
    assert kept(HEARD, SAID) == [0]


def test_the_same_question_with_another_answer_is_no_copy() -> None:
    assert kept(ASKED, ASKED, ASKED, after=(SAID, BREAD, HEARD)) == [0, 1]


def test_where_a_recording_ends_the_passage_alone_decides() -> None:
    assert kept(SAID, SAID, after=("", BREAD)) == [0]
    assert kept(SAID, SAID, after=(BREAD, "")) == [0]


def test_a_part_is_no_copy_of_the_whole() -> None:
    assert kept(SAID, SAID[:55]) == [0, 1]


def test_what_is_short_is_said_anew_each_time() -> None:
    assert kept("Yes, exactly.", "Yes, exactly.", "", "") == [0, 1, 2, 3]


def test_no_more_is_read_than_is_taken() -> None:
    read: list[int] = []

    def ranked() -> Iterator[int]:
        for number in range(100):
            read.append(number)
            yield number

    assert next(distinct(ranked(), lambda number: f"{number} {SAID}", lambda _: "", alike=0.6)) == 0
    assert read == [0]


SENTENCES = (SAID, HEARD, BREAD, ASKED, "Yes.", "", "the bread the bread the bread the bread the bread")


@given(st.lists(st.tuples(st.sampled_from(SENTENCES), st.sampled_from(SENTENCES)), max_size=12), st.floats(0.05, 1))
def test_whatever_is_left_out_is_a_copy_of_a_better_one_that_stays(said: list[tuple[str, str]], alike: float) -> None:
    texts, after = tuple(text for text, _ in said), tuple(following for _, following in said)
    stay = kept(*texts, after=after, alike=alike)
    for number in range(len(said)):
        alone = [
            kept(texts[n], texts[number], after=(after[n], after[number]), alike=alike) for n in stay if n < number
        ]
        assert (number in stay) is all(pair == [0, 1] for pair in alone)
