"""YouTube's json3, in every shape of it that has been seen."""

from __future__ import annotations

import json

import pytest

from qandai.errors import NoSpeech, TranscriptError
from qandai.ingest.captions import parse
from tests.unit.ingest.captions.files import WINDOW, event, json3, read, text, timed


def test_windows_newlines_and_missing_offsets_are_no_speech_and_no_trouble() -> None:
    parsed = parse(
        json3(
            WINDOW,
            event(30, "hey", (" welcome", 840), lasts=3810, wWinId=1),
            event(1850, "\n", wWinId=1, aAppend=1),
            event(1860, "interview", lasts=2000, wWinId=1),
        )
    )
    assert timed(parsed) == [("hey", 0.03), ("welcome", 0.87), ("interview", 1.86)]
    assert all(word.exact for word in parsed.words)
    assert parsed.captions == "auto"
    assert parsed.duration == 3574.069


def test_a_word_ends_where_the_next_begins_though_events_overlap() -> None:
    parsed = parse(json3(WINDOW, event(30, "hey", (" welcome", 840), lasts=3810), event(1860, "interview", lasts=900)))
    assert [word.end for word in parsed.words] == [0.87, 1.86, 2.76]


def test_a_word_before_a_pause_does_not_last_through_it() -> None:
    parsed = parse(json3(WINDOW, event(0, "stop", lasts=30_000), event(20_000, "go", lasts=500)))
    assert parsed.words[0].end == 1.5


def test_the_words_of_one_seg_share_its_time_and_are_estimates() -> None:
    parsed = parse(
        json3(
            WINDOW,
            event(0, "good morning everyone", (" today", 900), lasts=2000),
            event(2000, "event b"),
            event(4000, "event", (" c", 500), lasts=1000),
        )
    )
    assert timed(parsed)[0] == ("good", 0.0)
    assert [word.text for word in parsed.words if word.exact] == ["good", "today", "event", "event", "c"]
    good, morning, everyone, today = parsed.words[:4]
    assert good.start < morning.start < everyone.start < today.start == 0.9
    assert timed(parsed)[-2:] == [("event", 4.0), ("c", 4.5)]


def test_a_sentence_without_offset_in_an_automatic_track_is_spread_over_its_event() -> None:
    parsed = parse(json3(WINDOW, event(1000, "this is a whole sentence", lasts=2000, wWinId=1)))
    assert [word.exact for word in parsed.words] == [True, False, False, False, False]
    assert parsed.words[-1].end == 3.0


def test_times_in_quotes_are_times() -> None:
    assert read(json3(WINDOW, event("30", "hey", (" you", "840"), lasts="3810"))) == [("hey", 0.03), ("you", 0.87)]


def test_events_out_of_order_are_put_in_order_and_duplicates_said_once() -> None:
    parsed = parse(json3(WINDOW, event(5000, "second"), event(1000, "first"), event(5000, "second")))
    assert timed(parsed) == [("first", 1.0), ("second", 5.0)]
    assert parsed.repairs == {"doubled words": 1}


@pytest.mark.parametrize("mark", [">>", ">>>", "&gt;&gt;", "&amp;gt;&amp;gt;"])
def test_a_speaker_mark_becomes_a_turn_of_the_next_word(mark: str) -> None:
    prefixed = parse(json3(WINDOW, event(0, "yes", (f" {mark} no", 500))))
    alone = parse(json3(WINDOW, event(0, "yes", (f" {mark}", 400), (" no", 500))))
    for parsed in (prefixed, alone):
        assert [(word.text, word.turn) for word in parsed.words] == [("yes", False), ("no", True)]


def test_noise_tags_of_any_language_and_masked_words_are_dropped() -> None:
    noisy = event(0, "[μουσική]", (" well", 500), (" [ __ ]", 700), (" said", 900), (" [Applause]", 1200))
    assert text(json3(WINDOW, noisy)) == "well said"


def test_numbers_of_the_file_never_leak_into_the_text() -> None:
    assert text(json3(WINDOW, event(10000, "the", (" 10", 250), (" words", 10000)))) == "the 10 words"


def test_an_event_without_a_start_keeps_its_words_as_estimates() -> None:
    lost = event(None, "lost", lasts=500)
    parsed = parse(json3(WINDOW, event(1000, "found"), lost, event(3000, "again")))
    assert [word.text for word in parsed.words] == ["found", "lost", "again"]
    assert [word.exact for word in parsed.words] == [True, False, True]


def test_a_hand_made_track_keeps_brackets_that_hold_words_and_splits_cues() -> None:
    parsed = parse(json3(event(0, "[There's] a lot\nto say", lasts=3000), event(3000, "(LAUGHS)", lasts=1000)))
    assert [word.text for word in parsed.words] == ["[There's]", "a", "lot", "to", "say"]
    assert parsed.captions == "manual"
    assert [word.exact for word in parsed.words] == [True, False, False, False, False]


def test_hand_made_speaker_labels_become_speakers() -> None:
    parsed = parse(
        json3(
            event(0, "we've done that one:\n>> Sean: Was that hard?", lasts=4000),
            event(4000, ">> DFB: Not very", lasts=2000),
        )
    )
    assert [(w.text, w.speaker, w.turn) for w in parsed.words if w.turn] == [
        ("Was", "Sean", True),
        ("Not", "DFB", True),
    ]
    assert "Sean:" not in [word.text for word in parsed.words]


def test_music_notes_go_and_the_sung_words_stay() -> None:
    assert text(json3(event(0, "[♪♪♪]", lasts=500), event(500, "♪ We're no strangers ♪", lasts=500))) == (
        "We're no strangers"
    )


@pytest.mark.parametrize("document", [{"wireMagic": "pb3"}, {"wireMagic": "pb3", "events": []}])
def test_no_events_is_no_speech(document: object) -> None:
    with pytest.raises(NoSpeech, match="no speech"):
        parse(json.dumps(document).encode())


def test_events_of_another_kind_are_refused_by_number() -> None:
    with pytest.raises(TranscriptError, match="event 2"):
        parse(b'{"events": [{"segs": [{"utf8": "a"}]}, 7]}')
