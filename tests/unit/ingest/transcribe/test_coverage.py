"""Whether a piece came back whole."""

from __future__ import annotations

from qandai.ingest.transcribe.coverage import Loudness, coverage
from qandai.model import Word
from tests.build import said

LOUD = Loudness(())


def talking(start: float, end: float, each: float = 0.4) -> tuple[Word, ...]:
    return said("word " * int((end - start) / each), at=start, each=each)


def test_speech_from_end_to_end_is_whole() -> None:
    assert coverage(talking(0, 600), 0.0, 600.0, LOUD).is_whole


def test_words_for_240_of_600_seconds_are_not() -> None:
    found = coverage(talking(0, 240), 0.0, 600.0, LOUD)
    assert not found.is_whole
    assert found.untranscribed() == ((240.0, 600.0),)
    assert found.missing == found.largest == 360.0


def test_six_words_in_ten_minutes_are_not() -> None:
    found = coverage(said("thank you all and good bye", at=0.0), 0.0, 600.0, LOUD)
    assert not found.is_whole
    assert found.words_a_minute < 1


def test_silence_is_not_missed() -> None:
    quiet = Loudness(((240.0, 600.0),))
    assert coverage(talking(0, 240), 0.0, 600.0, quiet).is_whole
    assert coverage(talking(0, 240), 0.0, 600.0, quiet).holes == ()


def test_a_word_stretched_over_a_hole_does_not_hide_it() -> None:
    words = (*talking(0, 200), Word("so", 200.0, 590.0))
    assert not coverage(words, 0.0, 600.0, LOUD).is_whole


def test_a_minute_of_music_is_named_though_the_piece_is_whole() -> None:
    found = coverage((*talking(0, 200), *talking(260, 600)), 0.0, 600.0, LOUD)
    assert found.is_whole
    assert [(round(start), round(end)) for start, end in found.untranscribed()] == [(200, 260)]


def test_sound_is_summed_between_any_two_seconds() -> None:
    loudness = Loudness(((1.0, 2.0), (5.0, 9.0)))
    assert loudness.between(0.0, 10.0) == 5.0
    assert loudness.between(1.5, 6.0) == 3.0
    assert loudness.between(6.0, 7.0) == 0.0
    assert loudness.between(9.5, 10.0) == 0.5


def test_nothing_is_concluded_from_a_second() -> None:
    assert coverage((), 0.0, 1.2, LOUD).is_whole
