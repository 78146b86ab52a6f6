"""Joining pieces: each spoken word once (D15, D16)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from qandai.hearing import Sound
from qandai.ingest.transcribe.plan import plan
from qandai.ingest.transcribe.stitch import stitch
from qandai.ingest.transcribe.take import Take
from qandai.model import Word
from tests.build import said

FIRST, SECOND = plan(Sound(1190.0))  # 0-605 and 595-1190


def text(words: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in words)


def later(words: tuple[Word, ...], by: float) -> tuple[Word, ...]:
    return tuple(replace(word, start=word.start + by, end=word.end + by) for word in words)


def heard(words: tuple[Word, ...], by: float = 0.0) -> tuple[Take, Take]:
    """What two pieces hear of the same words, the second `by` seconds later."""
    ours = tuple(word for word in words if word.start < FIRST.end)
    theirs = later(tuple(word for word in words if word.end > SECOND.start), by)
    return Take(FIRST, ours, (0,)), Take(SECOND, theirs, (0,))


def test_words_that_both_pieces_hear_80_ms_apart_stay_once() -> None:
    words = said("that is what kept me honest all these years", at=597.0, each=0.7)
    for by in (-0.3, -0.08, 0.0, 0.08, 0.3):
        found = stitch(heard(words, by))
        assert text(found.words) == "that is what kept me honest all these years", by


def test_a_word_said_twice_across_the_join_stays_twice() -> None:
    words = said("it was very very very good", at=598.6, each=0.45)
    for by in (-0.08, 0.0, 0.08):
        assert text(stitch(heard(words, by)).words) == "it was very very very good"


def test_a_rare_word_four_seconds_apart_leaves_no_hole() -> None:
    words = (*said("Really?", at=597.5), *said("Yes I mean it", at=598.2, each=0.6), *said("Really.", at=601.5))
    found = stitch(heard(words, 0.08))
    assert text(found.words) == "Really? Yes I mean it Really."
    assert max(after.start - before.end for before, after in pairwise(found.words)) < 1.0


def test_words_heard_differently_at_the_join_are_not_doubled() -> None:
    ours = Take(FIRST, said("we kept", at=599.5, each=0.6), (0,))
    theirs = Take(SECOND, said("cap going on", at=600.15, each=0.6), (0,))
    assert len(stitch((ours, theirs)).words) == 4


def test_a_piece_that_heard_nothing_in_the_overlap_gives_way() -> None:
    words = said("nothing of this may be lost here", at=597.0, each=0.8)
    ours, theirs = heard(words)
    assert text(stitch((Take(FIRST), theirs)).words) == text(words)
    assert text(stitch((ours, Take(SECOND))).words) == text(words)


def test_pieces_cut_in_a_silence_are_simply_joined() -> None:
    first, second = plan(Sound(1190.0, ((599.0, 601.0),)))
    found = stitch((Take(first, said("no", at=598.0), (0,)), Take(second, said("no", at=601.2), (0,))))
    assert text(found.words) == "no no"
    assert found.segments == (0, 1)


def test_a_script_without_spaces_goes_on_over_a_join() -> None:
    first, second = plan(Sound(1190.0, ((599.0, 601.0),)))
    found = stitch((Take(first, said("世", at=598.0), (0,)), Take(second, said("界", at=601.2), (0,))))
    assert [word.glued for word in found.words] == [False, True]


def test_segments_keep_their_first_words() -> None:
    words = said("a b c d e f g h i j", at=595.1, each=0.95)
    ours, theirs = heard(words)
    found = stitch((replace(ours, segments=(0, 3)), replace(theirs, segments=(0, 7))))
    assert [found.words[at].text for at in found.segments] == ["a", "d", "g", "h"]
    assert found.repairs["heard twice at a join"] == len(ours.words) + len(theirs.words) - 10


@given(
    st.lists(st.sampled_from("no really so it was the good".split()), min_size=1, max_size=60),
    st.lists(st.floats(0.16, 0.9), min_size=1, max_size=10),
    st.floats(-0.14, 0.14),
)
def test_however_people_repeat_themselves_each_word_stays_once(
    texts: list[str], lengths: list[float], by: float
) -> None:
    words: list[Word] = []
    at = 590.0
    for number, one in enumerate(texts):
        words.append(Word(one, at, at + lengths[number % len(lengths)]))
        at = words[-1].end
    found = stitch(heard(tuple(words), by))
    assert text(found.words) == " ".join(texts)
    assert all(before.start <= after.start for before, after in pairwise(found.words))
