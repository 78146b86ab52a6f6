"""Recognisers sold as a service, and other people's JSON: each in the few fields that we read."""

from __future__ import annotations

import json

import pytest

from qandai.errors import NoSpeech
from qandai.ingest.captions import Parsed, parse


def read(document: object) -> Parsed:
    return parse(json.dumps(document).encode())


def said(parsed: Parsed) -> list[tuple[str, float, float, str | None]]:
    return [(word.text, word.start, word.end, word.speaker) for word in parsed.words]


def test_amazon_puts_marks_behind_words_and_speakers_in_stretches() -> None:
    def item(content: str, start: float | None = None, end: float | None = None) -> dict[str, object]:
        times = {} if start is None else {"start_time": str(start), "end_time": str(end)}
        kind = "punctuation" if start is None else "pronunciation"
        return {**times, "type": kind, "alternatives": [{"content": content, "confidence": "1.0"}]}

    parsed = read(
        {
            "results": {
                "language_code": "en-US",
                "items": [item("Well", 0.5, 0.9), item(","), item("yes", 1.0, 1.4), item("?"), item("No", 2.0, 2.4)],
                "speaker_labels": {
                    "segments": [
                        {"start_time": "0.5", "speaker_label": "spk_0"},
                        {"start_time": "2.0", "speaker_label": "spk_1"},
                    ]
                },
            }
        }
    )
    assert said(parsed) == [
        ("Well,", 0.5, 0.9, "spk_0"),
        ("yes?", 1.0, 1.4, "spk_0"),
        ("No", 2.0, 2.4, "spk_1"),
    ]
    assert [word.turn for word in parsed.words] == [False, False, True]
    assert (parsed.segments, parsed.language, parsed.format) == ((0, 2), "en-US", "Amazon Transcribe")


IBM = {
    "results": [
        {"alternatives": [{"transcript": "so there", "timestamps": [["so", 1.0, 1.2], ["there", 1.2, 1.5]]}]},
        {"alternatives": [{"timestamps": [["%HESITATION", 2.0, 2.2], ["yes", 2.3, 2.5]]}]},
    ],
    "speaker_labels": [{"from": 1.0, "to": 1.5, "speaker": 0}, {"from": 2.0, "to": 2.5, "speaker": 1}],
}


@pytest.mark.parametrize("document", [IBM, {"status": "completed", "results": [IBM]}])
def test_ibm_lists_stamps_and_hesitations_are_no_words(document: object) -> None:
    assert said(read(document)) == [
        ("so", 1.0, 1.2, "Speaker 0"),
        ("there", 1.2, 1.5, "Speaker 0"),
        ("yes", 2.3, 2.5, "Speaker 1"),
    ]


def test_speechmatics_first_format_has_durations_in_quotes() -> None:
    parsed = read(
        {
            "job": {"lang": "en", "duration": 711},
            "speakers": [{"name": "F4", "time": "13.05", "duration": "9.00"}],
            "words": [
                {"name": "There", "time": "13.05", "duration": "0.18"},
                {"name": ".", "time": "13.23", "duration": "0.00"},
            ],
        }
    )
    assert said(parsed) == [("There.", 13.05, 13.23, "F4")]
    assert parsed.language == "en"


def test_speechmatics_second_format_has_typed_results() -> None:
    def result(kind: str, content: str, start: float, speaker: str = "S1") -> dict[str, object]:
        word = {"content": content, "speaker": speaker}
        return {"type": kind, "start_time": start, "end_time": start + 0.5, "alternatives": [word]}

    parsed = read(
        {
            "format": "2.9",
            "metadata": {"transcription_config": {"language": "el"}},
            "results": [result("word", "Ναι", 1.0), result("punctuation", ";", 1.5), result("word", "όχι", 2.0, "UU")],
        }
    )
    assert said(parsed) == [("Ναι;", 1.0, 1.5, "S1"), ("όχι", 2.0, 2.5, None)]
    assert parsed.language == "el"


def test_kaldi_is_read_in_its_punctuated_form() -> None:
    parsed = read(
        {
            "retval": {
                "words": [
                    {"word": "there", "punct": "There", "start": 13.02, "end": 13.17},
                    {"word": "day", "punct": "day.", "start": 13.44, "end": 13.86},
                ],
                "segmentation": {"segments": [{"start": 9.1, "duration": 9, "speaker": {"@id": "S1", "gender": "F"}}]},
            }
        }
    )
    assert said(parsed) == [("There", 13.02, 13.17, "S1"), ("day.", 13.44, 13.86, "S1")]


def test_autoedit_nests_words_in_lines_in_paragraphs() -> None:
    def part(speaker: str, word: str, start: float) -> dict[str, object]:
        return {
            "speaker": speaker,
            "paragraph": [{"line": [{"text": word, "startTime": start, "endTime": start + 0.2}]}],
        }

    parsed = read({"text": [part("Unnamed Speaker", "Hi", 1.0), part("Ann", "you", 2.0)]})
    assert said(parsed) == [("Hi", 1.0, 1.2, None), ("you", 2.0, 2.2, "Ann")]


def test_podcast_segments_are_cues_or_single_words() -> None:
    cues = [
        {"speaker": "Ann", "startTime": 0.5, "endTime": 1.5, "body": "Hello you."},
        {"startTime": 1.5, "endTime": 2.0, "body": "and you"},
        {"speaker": "Ben", "startTime": 2.0, "endTime": 3.0, "body": "Hi all"},
    ]
    parsed = read({"version": "1.0.0", "segments": cues})
    assert [(word.text, word.speaker, word.exact) for word in parsed.words] == [
        ("Hello", "Ann", True),
        ("you.", "Ann", False),
        ("and", "Ann", True),
        ("you", "Ann", False),
        ("Hi", "Ben", True),
        ("all", "Ben", False),
    ]
    words = [
        {"startTime": 0.0, "endTime": 0.4, "body": "One"},
        {"startTime": 0.4, "endTime": 0.6, "body": "two."},
        {"startTime": 0.7, "endTime": 1.0, "body": "Three"},
    ]
    parsed = read({"version": "1.0.0", "segments": words})
    assert said(parsed) == [("One", 0.0, 0.4, None), ("two.", 0.4, 0.6, None), ("Three", 0.7, 1.0, None)]
    assert parsed.segments == (0, 2)


def test_json_ld_links_parts_of_a_text_and_writes_times_as_periods() -> None:
    parsed = read(
        {
            "about": "https://youtu.be/4AWVapDrLQI",
            "language": "en",
            "text": [
                {"text": "Uhh...", "startTime": "PT1.26S", "endTime": "PT1.60S", "speaker": ["Jace"]},
                {
                    "text": ["in both ", {"text": "Epic", "about": "/x/"}, " and more"],
                    "startTime": "PT1H1M2.5S",
                    "endTime": "PT1H1M4.5S",
                    "speaker": ["Jace", "Snutt"],
                },
            ],
        }
    )
    assert [word.text for word in parsed.words] == ["Uhh...", "in", "both", "Epic", "and", "more"]
    assert (parsed.words[1].start, parsed.words[1].speaker) == (3662.5, "Jace & Snutt")
    assert (parsed.url, parsed.video_id) == ("https://youtu.be/4AWVapDrLQI", "4AWVapDrLQI")


@pytest.mark.parametrize(
    "document",
    [
        {"results": {"items": [{"type": "punctuation", "alternatives": [{"content": "."}]}]}},
        {"results": [{"alternatives": [{"timestamps": [["%HESITATION", 1, 2], "x", [1, 2, 3]]}]}]},
        {"words": [{"name": ".", "time": "1", "duration": "0"}]},
        {"text": [{"paragraph": [{"line": []}]}]},
        {"segments": [{"startTime": 1, "body": " "}]},
        {"text": [{"text": "[music]", "startTime": "PT1S"}]},
    ],
)
def test_a_service_that_heard_nothing_is_no_speech(document: object) -> None:
    with pytest.raises(NoSpeech, match="no speech"):
        read(document)
