"""The Whisper family: the same idea in five spellings."""

from __future__ import annotations

import json

import pytest

from qandai.errors import NoSpeech, TranscriptError
from qandai.ingest.captions import parse
from qandai.model import join
from tests.unit.ingest.captions.files import read, segment, text, timed, whisper


def test_openai_and_faster_whisper_words_with_leading_spaces() -> None:
    content = whisper(
        segment(
            0,
            2,
            " Hello well-known 60%.",
            [(" Hello", 0, 0.5), (" well", 0.5, 0.8), ("-known", 0.8, 1.2), (" 60", 1.2, 1.5), ("%.", 1.5, 1.6)],
        )
    )
    assert read(content) == [("Hello", 0.0), ("well-known", 0.5), ("60%.", 1.2)]
    assert [word.end for word in parse(content).words] == [0.5, 1.2, 1.6]


def test_whisper_timestamped_spells_its_words_text() -> None:
    words = [{"text": "Apollo", "start": 0.54, "end": 0.92}, {"text": "11,", "start": 0.92, "end": 1.26}]
    content = whisper({"start": 0.54, "end": 1.26, "text": " Apollo 11,", "words": words})
    assert read(content) == [("Apollo", 0.54), ("11,", 0.92)]


def test_numerals_without_times_stand_between_their_neighbours() -> None:
    parsed = parse(
        whisper(segment(7.2, 7.6, "over $43,000. Matt", [("over", 7.28, 7.40), "$43,000.", ("Matt", 7.44, 7.54)]))
    )
    assert [(w.text, w.start, w.end, w.exact) for w in parsed.words] == [
        ("over", 7.28, 7.40, True),
        ("$43,000.", 7.40, 7.44, False),
        ("Matt", 7.44, 7.54, True),
    ]
    assert parsed.repairs == {"untimed words": 1}


def test_untimed_words_at_the_borders_take_the_segments_time_and_two_share_a_gap() -> None:
    parsed = parse(
        whisper(segment(1, 5, "2266 is 10 20 up 7", ["2266", ("is", 2, 2.2), "10", "20", ("up", 3, 3.5), "7"]))
    )
    starts = dict(timed(parsed))
    assert starts["2266"] == 1.0
    assert 2.2 <= starts["10"] < starts["20"] <= 3.0
    assert starts["7"] == 3.5
    assert parsed.words[-1].end <= 5.0


def test_segments_without_words_are_spread() -> None:
    parsed = parse(whisper(segment(0, 2, " four words of text")))
    assert [word.exact for word in parsed.words] == [True, False, False, False]


def test_verbose_json_gives_its_top_words_the_punctuation_of_the_text() -> None:
    content = whisper(
        segment(0, 1, " Well, it's done."),
        segment(1, 2, " Sixty-two!"),
        words=[
            {"word": "Well", "start": 0.0, "end": 0.3},
            {"word": "it's", "start": 0.3, "end": 0.5},
            {"word": "done", "start": 0.5, "end": 0.97},
            {"word": "Sixty", "start": 0.98, "end": 1.3},
            {"word": "two", "start": 1.3, "end": 1.8},
        ],
        language="english",
        duration=2.0,
    )
    parsed = parse(content)
    assert timed(parsed) == [("Well,", 0.0), ("it's", 0.3), ("done.", 0.5), ("Sixty-two!", 0.98)]
    assert parsed.segments == (0, 3)
    assert (parsed.language, parsed.duration) == ("en", 2.0)


def test_top_words_that_say_something_else_than_the_text_go_by_time() -> None:
    content = whisper(
        segment(0, 1, " Alpha"),
        segment(1, 2, " Beta"),
        words=[{"word": "one", "start": 0.2, "end": 0.4}, {"word": "two", "start": 1.2, "end": 1.4}],
    )
    assert read(content) == [("one", 0.2), ("two", 1.2)]
    assert parse(content).segments == (0, 1)


def test_words_at_the_top_alone_are_enough() -> None:
    content = json.dumps(
        {
            "text": "hi there",
            "words": [{"word": "hi", "start": 1, "end": 1.2}, {"word": "there", "start": 1.2, "end": 2}],
        }
    )
    assert read(content.encode()) == [("hi", 1.0), ("there", 1.2)]


def test_whisperx_speakers_change_within_a_segment() -> None:
    words = [
        {"word": "Yes?", "start": 0, "end": 0.4, "speaker": "SPEAKER_00"},
        {"word": "No.", "start": 0.5, "end": 0.9, "speaker": "SPEAKER_01"},
    ]
    parsed = parse(whisper({"start": 0, "end": 1, "text": "Yes? No.", "words": words, "speaker": "SPEAKER_00"}))
    assert [(word.speaker, word.turn) for word in parsed.words] == [("SPEAKER_00", False), ("SPEAKER_01", True)]
    assert parsed.segments == (0, 1)


def test_japanese_words_stay_as_they_were_timed_and_get_no_spaces() -> None:
    words = [
        {"text": "いきます", "start": 0.1, "end": 0.6},
        {"text": " ニ", "start": 0.6, "end": 0.8},
        {"text": "ュ", "start": 0.8, "end": 1},
    ]
    parsed = parse(whisper({"start": 0, "end": 1, "text": "いきます ニュ", "words": words}))
    assert timed(parsed) == [("いきます", 0.1), ("ニ", 0.6), ("ュ", 0.8)]
    assert join(parsed.words) == "いきます ニュ"


def test_youtube_transcript_lists_are_read_though_their_durations_overlap() -> None:
    content = json.dumps(
        [{"start": 0.0, "text": "one two", "duration": 5.0}, {"start": 2.0, "text": "three", "duration": 3.0}]
    )
    parsed = parse(content.encode())
    assert timed(parsed)[0] == ("one", 0.0)
    assert parsed.words[1].end == 2.0
    assert timed(parsed)[2] == ("three", 2.0)


def test_a_bare_list_of_segments_with_words_is_read() -> None:
    assert read(json.dumps([segment(0, 1, "hi", [("hi", 0.1, 0.4)])]).encode()) == [("hi", 0.1)]


def test_disfluency_marks_and_turn_marks_among_words_are_no_words() -> None:
    content = whisper(
        segment(0, 3, "[*] so >> yes", [("[*]", 0, 1), ("so", 1, 1.5), (">>", 1.5, 1.6), ("yes", 2, 2.5)])
    )
    assert [(word.text, word.turn) for word in parse(content).words] == [("so", False), ("yes", True)]


@pytest.mark.parametrize("language", [None, 7, "klingonish", ""])
def test_a_language_that_is_none_is_unknown(language: object) -> None:
    assert parse(whisper(segment(0, 1, "a"), language=language)).language is None


def test_segments_that_are_none_are_refused_by_number() -> None:
    with pytest.raises(TranscriptError, match="segment 2"):
        parse(b'{"segments": [{"start": 0, "end": 1, "text": "a"}, "b"]}')


def test_no_segments_is_no_speech() -> None:
    with pytest.raises(NoSpeech, match="no speech"):
        parse(b'{"text": "", "segments": []}')


def test_ids_titles_and_days_inside_the_file_are_found() -> None:
    parsed = parse(whisper(segment(0, 1, "a"), video_id="abc-1", title="A talk", date="2024-05-31"))
    assert (parsed.video_id, parsed.title, parsed.published) == ("abc-1", "A talk", "2024-05-31")


def test_text_is_kept_as_written() -> None:
    assert text(whisper(segment(0, 1, " I don't — really — know; 3.5%"))) == "I don't — really — know; 3.5%"
