from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.questions import Asked, Moment
from eval.reborder import moved, reborder
from qandai.model import Transcript, Video, Word
from tests.build import said


def recording(*starts: float) -> Transcript:
    """Ten words a second from each of `starts` on, the first of each measured."""
    words: list[Word] = []
    segments = []
    for start in starts:
        segments.append(len(words))
        words += said("one two three four five six seven eight nine ten", at=start, each=0.5, exact=False)
        words[-10] = replace(words[-10], exact=True)
    return Transcript(Video("clips", "Clips", duration=starts[-1] + 60), tuple(words), segments=tuple(segments))


STARTS = st.lists(st.floats(5.5, 200), min_size=2, max_size=8).map(
    lambda gaps: [sum(gaps[:count]) + count * 5 for count in range(1, len(gaps) + 1)]
)


@given(STARTS, st.integers(0, 50))
def test_an_answer_keeps_its_words_whatever_is_cut(starts: list[float], seed: int) -> None:
    before = recording(*starts)
    after, clock = reborder(before, seed=seed)
    clip = before.words[10:20]
    asked = Asked("1", "?", (Moment("clips", clip[0].start, clip[-1].end, clip[0].start),))
    (there,) = moved(asked, {"clips": clock}).moments
    held = [word.text for word in after.words if there.start - 1e-6 <= word.start and word.end <= there.end + 1e-6]
    assert held == [word.text for word in clip]
    assert [word.text for word in after.words] == [word.text for word in before.words]


@given(STARTS, st.integers(0, 50))
def test_as_much_is_missing_as_before(starts: list[float], seed: int) -> None:
    before = recording(*starts)
    after, _ = reborder(before, seed=seed)
    assert after.words[-1].end == pytest.approx(before.words[-1].end)
    assert sum(word.exact for word in after.words) == sum(word.exact for word in before.words)
    assert len(after.segments) == len(before.segments)


def test_borders_no_longer_tell_where_a_clip_begins() -> None:
    before = recording(*(100.0 * number for number in range(40)))
    after, _ = reborder(before, seed=1)
    assert len({*before.segments} & {*after.segments}) < 20
    assert sum(after.words[place].exact for place in before.segments) < 20


def test_the_same_seed_cuts_alike_and_another_differently() -> None:
    before = recording(0.0, 100.0, 200.0, 300.0)
    assert reborder(before, seed=1) == reborder(before, seed=1)
    assert reborder(before, seed=1) != reborder(before, seed=2)
