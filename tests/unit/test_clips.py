from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from qandai.clips import clip, overlap
from qandai.model import Quote, Row
from tests.build import AUDIO, row, said


def test_the_lead_is_taken_off_once() -> None:
    assert clip(Quote(row("I sold it", at=12.0).whole()), lead=0.3).start == 11.7


def test_a_clip_never_starts_before_the_recording() -> None:
    assert clip(Quote(row("I sold it", at=0.1).whole()), lead=0.3).start == 0.0


def test_an_estimated_first_word_gives_way_to_the_next_measured_one() -> None:
    words = said("I", at=12.0, exact=False) + said("sold it", at=12.5)
    played = clip(Quote(Row(AUDIO, words).whole()), lead=0.0)
    assert (played.start, played.exact) == (12.5, True)
    estimated = clip(Quote(row("I sold it", at=12.0).whole()), lead=0.0)
    assert estimated.exact
    vague = tuple(replace(word, exact=False) for word in words)
    assert clip(Quote(Row(AUDIO, vague).whole()), lead=0.0).exact is False


@given(st.floats(0, 100), st.floats(0, 5), st.none() | st.floats(0, 120))
def test_a_clip_lies_within_the_media(at: float, lead: float, duration: float | None) -> None:
    spoken = row("I sold it", at=at, video=replace(AUDIO, duration=duration))
    played = clip(Quote(spoken.whole()), lead=lead)
    assert 0 <= played.start <= played.end
    if duration is not None:
        assert played.end <= duration


def test_clips_overlap_only_where_they_play_the_same() -> None:
    long = clip(Quote(row("one two three four", at=10).whole()), lead=0.3)
    inside = clip(Quote(row("two", at=10.5).whole()), lead=0.3)
    later = clip(Quote(row("two", at=30).whole()), lead=0.3)
    elsewhere = clip(Quote(row("two", at=10.5, video=replace(AUDIO, id="talk2")).whole()), lead=0.3)
    assert overlap(long, inside)
    assert overlap(inside, long)
    assert not overlap(long, later)
    assert not overlap(long, elsewhere)
