"""Where recordings are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qandai.errors import UsageError
from qandai.hearing import Sound
from qandai.ingest.transcribe.plan import BYTES_A_SECOND, OVERLAP, Piece, halves, plan, sizing


def spans(pieces: tuple[Piece, ...]) -> list[tuple[float, float]]:
    return [(piece.start, piece.end) for piece in pieces]


def test_a_short_recording_is_one_piece() -> None:
    assert plan(Sound(719.0)) == (Piece(0.0, 719.0, 0.0, 719.0),)


def test_the_cut_is_the_middle_of_the_silence_nearest_to_ten_minutes() -> None:
    sound = Sound(1190.0, ((571.0, 572.0), (590.0, 592.0), (612.0, 612.5), (640.0, 650.0)))
    assert spans(plan(sound)) == [(0.0, 591.0), (591.0, 1190.0)]


def test_without_a_silence_in_reach_the_pieces_overlap_around_the_cut() -> None:
    first, second = plan(Sound(1190.0, ((560.0, 569.0), (631.0, 640.0))))
    assert (first.end, second.start) == (605.0, 595.0)
    assert first.end - second.start == OVERLAP
    assert first.until == second.since == 600.0


def test_without_a_silence_the_quietest_moment_is_asked_for() -> None:
    asked: list[tuple[float, float]] = []

    def quietest(start: float, end: float) -> float:
        asked.append((start, end))
        return 583.2

    first, second = plan(Sound(1190.0), quietest=quietest)
    assert asked == [(570.0, 630.0)]
    assert (first.end, second.start, second.since) == (588.2, 578.2, 583.2)


def test_a_rest_of_less_than_two_minutes_stays_with_the_last_piece() -> None:
    assert len(plan(Sound(1319.0, ((599.0, 601.0), (1199.0, 1201.0))))) == 2
    assert len(plan(Sound(1321.0, ((599.0, 601.0), (1199.0, 1201.0))))) == 3


@given(
    st.floats(0.1, 20_000),
    st.lists(st.tuples(st.floats(0, 20_000), st.floats(0.4, 200)), max_size=60),
    st.floats(20, 600),
)
def test_pieces_cover_the_recording_and_their_words_belong_to_one_of_them(
    duration: float, raw: list[tuple[float, float]], seconds: float
) -> None:
    silences: list[tuple[float, float]] = []
    for start, length in sorted(raw):
        if start < duration and (not silences or start > silences[-1][1]):
            silences.append((start, min(duration, start + length)))
    pieces = plan(Sound(duration, tuple(silences)), seconds)
    assert pieces[0].start == pieces[0].since == 0.0
    assert pieces[-1].end == pytest.approx(duration, abs=0.001)
    assert pieces[-1].until == duration
    for before, after in pairwise(pieces):
        assert before.until == after.since
        assert after.start <= before.end + 0.001
        assert before.start < after.start
        assert before.end < after.end
    assert all(piece.duration <= 1.25 * seconds + OVERLAP for piece in pieces)


@given(st.integers(250_000, 100_000_000))
def test_no_planned_piece_can_exceed_the_bytes_that_a_service_takes(max_bytes: int) -> None:
    size = sizing(max_bytes)
    longest = 1.25 * size.seconds + OVERLAP
    assert longest * BYTES_A_SECOND[size.form] < max_bytes


def test_seventy_minutes_fit_into_uploads_of_25_megabytes() -> None:
    size = sizing(25_000_000)
    assert (size.form, size.seconds) == ("flac", 600.0)
    assert len(plan(Sound(4200.0), size.seconds)) == 7


def test_a_small_limit_is_met_by_compression_before_shorter_pieces() -> None:
    assert sizing(5_000_000).form == "opus"
    assert sizing(5_000_000).seconds == 600.0
    assert 100 < sizing(1_000_000).seconds < 200


def test_a_useless_limit_is_refused_with_the_setting_to_change() -> None:
    with pytest.raises(UsageError, match="QANDAI_TRANSCRIBER_MAX_MB"):
        sizing(100_000)


def test_halves_share_what_belongs_to_the_whole() -> None:
    whole = Piece(595.0, 1205.0, 600.0, 1200.0)
    first, second = halves(whole, ((905.0, 907.0),))
    assert (first, second) == (Piece(595.0, 906.0, 600.0, 906.0), Piece(906.0, 1205.0, 906.0, 1200.0))
    first, second = halves(whole, ())
    assert first.end - second.start == OVERLAP
    assert first.until == second.since == 900.0
