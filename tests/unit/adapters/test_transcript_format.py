"""The transcript file: every shape is read, what is written comes back, what is wrong is refused by place."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qandai.adapters.transcript_format import decode, encode
from qandai.errors import TranscriptError
from qandai.model import Gap, Provenance, Transcript, Video, Word, join
from tests.build import AUDIO, talk

LAW = settings(max_examples=50, deadline=None)  # busy machines are slow, and that is no failure


def again(transcript: Transcript) -> Transcript:
    return decode(json.loads(encode(transcript)), stem="any")


def listed(*segments: object, **more: object) -> Transcript:
    return decode({"format": 1, "video": {"id": "v", "title": "V"}, "segments": list(segments)} | more, stem="v")


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    texts = st.text(st.sampled_from("ab世界สé',。"), min_size=1, max_size=5)
    speakers = st.sampled_from([None, "Ann", "Ben"])
    words: list[Word] = []
    at = 0.0
    for _ in range(draw(st.integers(1, 12))):
        start = at + draw(st.floats(0, 5, allow_nan=False))
        end = start + draw(st.floats(0, 2, allow_nan=False))
        at = start
        word = Word(
            draw(texts), start, end, draw(st.booleans()), draw(st.booleans()), draw(speakers), draw(st.booleans())
        )
        words.append(word)
    borders = draw(st.sets(st.integers(0, len(words) - 1)))
    changes = {n for n in range(1, len(words)) if words[n].speaker != words[n - 1].speaker}
    return Transcript(
        Video("a_-1", "T ε", draw(st.sampled_from([None, "audio"])), language="zh"),
        tuple(words),
        Provenance("auto", "m", "o", "2026-01-01"),
        tuple(sorted({0} | borders | changes)),
        (Gap(1.0, 2.5, "loop"),),
        {"loops": 3},
    )


@LAW
@given(transcripts())
def test_what_is_written_comes_back_the_same(transcript: Transcript) -> None:
    assert again(transcript) == transcript


def test_a_segment_begins_where_the_speaker_changes() -> None:
    words = (Word("a", 0, 1, speaker="A"), Word("b", 1, 2, turn=True, speaker="B"))
    assert again(Transcript(AUDIO, words)).segments == (0, 1)


def test_a_bare_list_takes_its_id_from_the_file() -> None:
    read = decode([{"start": 1.5, "text": "one two", "duration": 4.0}, {"start": 3, "text": "three"}], stem="talk-1")
    assert (read.video.id, read.video.source) == ("talk-1", None)
    assert [(word.text, word.start, word.exact) for word in read.words] == [
        ("one", 1.5, True),
        ("two", 2.25, False),
        ("three", 3.0, True),
    ]
    assert read.segments == (0, 2)


def test_the_flat_object_gives_id_day_and_origin() -> None:
    flat = {
        "video_id": "dQw4w9WgXcQ",
        "title": "T",
        "date": "2020-01-02",
        "source": "somewhere@1:a.md",
        "language": "fr",
        "answer_segments": [{"title": "gold"}],
        "segments": [{"start": 0, "end": 2, "text": "un deux", "interpolated": True, "speaker": "A"}],
    }
    read = decode(flat, stem="yt-dQw4w9WgXcQ")
    assert read.video == Video("dQw4w9WgXcQ", "T", "youtube", published="2020-01-02", language="fr")
    assert read.provenance == Provenance(origin="somewhere@1:a.md")
    assert [word.exact for word in read.words] == [False, False]
    assert decode(flat | {"video_id": "14643"}, stem="x").video.source is None


def test_speakers_and_turns_follow_from_segments() -> None:
    read = listed(
        {"start": 0, "end": 1, "text": "hi", "speaker": "A"},
        {"start": 1, "end": 2, "text": "you", "speaker": "A"},
        {"start": 2, "end": 3, "text": ">> yes", "speaker": "A"},
        {"start": 3, "end": 4, "text": "no", "speaker": "B"},
        {"start": 4, "end": 5, "text": "well"},
        {"start": 5, "end": 6, "text": "so", "speaker": "B"},
    )
    assert [(word.speaker, word.turn) for word in read.words] == [
        ("A", False),
        ("A", False),
        ("A", True),
        ("B", True),
        (None, False),
        ("B", False),
    ]


def test_words_without_times_are_filled_in_and_glued_as_the_text_says() -> None:
    words = [{"word": "世", "start": 0, "end": 1}, {"word": "界"}, {"word": "so", "start": 2, "end": 3, "turn": True}]
    read = listed({"start": 0, "end": 3, "text": "世界 so", "words": words})
    assert [(word.start, word.end, word.exact) for word in read.words] == [(0, 1, True), (1, 2, False), (2, 3, True)]
    assert join(read.words) == "世界 so"
    assert read.words[2].turn


def test_unknown_fields_are_ignored() -> None:
    read = listed(
        {"start": 0, "end": 1, "text": "a", "mood": 3, "words": [{"word": "a", "start": 0, "end": 1, "x": 1}]}
    )
    assert read.words == (Word("a", 0.0, 1.0),)


def test_a_start_a_hair_early_is_rounding_and_not_disorder() -> None:
    read = listed({"start": 0, "end": 2, "text": "a b"}, {"start": 0.98, "end": 2, "text": "c"})
    assert [word.start for word in read.words] == [0.0, 0.98 / 2, 0.98]
    early = [{"word": "a", "start": 1.0, "end": 1.2}, {"word": "b", "start": 0.99, "end": 1.3}]
    assert [word.start for word in listed({"start": 1, "text": "a b", "words": early}).words] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("segment", "reason"),
    [
        (7, "segment 2: must be an object, not int"),
        ({"text": "a"}, "segment 2: `start` is missing"),
        ({"start": "1", "text": "a"}, "segment 2: `start` must be a number of seconds, not '1'"),
        ({"start": True, "text": "a"}, "segment 2: `start` must be a number"),
        ({"start": -1, "text": "a"}, "segment 2: `start` is -1; it must lie between 0"),
        ({"start": 1e9, "text": "a"}, "segment 2: `start` is 1000000000.0"),
        ({"start": 2, "end": 1, "text": "a"}, "segment 2: ends at 1, before its start at 2"),
        ({"start": 2, "end": 3}, "segment 2: `text` is missing"),
        ({"start": 2, "end": 3, "text": None}, "segment 2: `text` must be a text"),
        ({"start": 0.2, "end": 3, "text": "early"}, "segment 2: starts at 0.2, before the words at 0.75"),
        ({"start": 2, "text": "a", "speaker": 3}, "segment 2: `speaker` must be a text"),
        ({"start": 2, "text": "a", "words": "a"}, "segment 2: `words` must be a list"),
        ({"start": 2, "text": "a", "words": ["a"]}, "segment 2: word 1 has no `word`"),
        ({"start": 2, "text": "a", "words": [{"word": "a", "start": 3, "end": 2}]}, "word 1 .'a'. ends at 2, before"),
        (
            {
                "start": 2,
                "text": "a b",
                "words": [{"word": "a", "start": 3, "end": 4}, {"word": "b", "start": 2.1, "end": 4}],
            },
            "word 2 .'b'. starts at 2.1, before 3",
        ),
    ],
)
def test_a_bad_segment_is_refused_with_its_number_and_the_reason(segment: object, reason: str) -> None:
    with pytest.raises(TranscriptError, match=reason):
        listed({"start": 0.5, "end": 1, "text": "a b"}, segment)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("text", "an object or a list of segments, not str"),
        ({"format": 2, "video": {"id": "v"}, "segments": []}, "format 2 is not known, only 1. Update the program"),
        ({"format": "1", "video": {"id": "v"}, "segments": []}, "format '1' is not known"),
        ({"format": 1, "segments": []}, "`video`: Field required"),
        ({"format": 1, "video": {"id": "../x"}, "segments": []}, "`video.id`"),
        ({"format": 1, "video": {"id": "v\n"}, "segments": []}, "`video.id`"),
        ({"format": 1, "video": {"id": "v", "published": "May 3"}, "segments": []}, "a date such as 2024-05-31"),
        ({"format": 1, "video": {"id": "v", "url": "javascript:alert(1)"}, "segments": []}, "`video.url`"),
        ({"format": 1, "video": {"id": "v", "url": "../../etc/passwd"}, "segments": []}, "`video.url`"),
        ({"format": 1, "video": {"id": "v", "source": "vimeo"}, "segments": []}, "`video.source`"),
        ({"format": 1, "video": {"id": "v", "duration": "9"}, "segments": []}, "`video.duration`"),
        ({"format": 1, "video": {"id": "v"}, "provenance": {"captions": "guess"}, "segments": []}, "provenance.capt"),
        ({"format": 1, "video": {"id": "v"}, "gaps": [{"start": 1}], "segments": []}, r"gaps.0.end.*and 1 more"),
        ({"format": 1, "video": {"id": "v"}}, "`segments` must be a list"),
        ({"video_id": 3, "segments": []}, "`video_id`"),
        ({"segments": []}, "`video_id`: Field required"),
    ],
)
def test_a_bad_header_is_refused_with_the_field_and_the_reason(document: object, reason: str) -> None:
    with pytest.raises(TranscriptError, match=reason):
        decode(document, stem="v")


def test_a_list_in_a_file_whose_name_is_no_id_says_so() -> None:
    with pytest.raises(TranscriptError, match="Rename the file"):
        decode([], stem="my talk")


def test_what_has_no_json_is_not_written() -> None:
    broken = replace(talk("t", "hello there"), repairs={})
    with pytest.raises(TranscriptError, match="t cannot be written"):
        encode(replace(broken, words=(Word("a", float("nan"), 1.0),)))
    with pytest.raises(TranscriptError, match="t cannot be written"):
        encode(replace(broken, words=(Word("\ud83d", 0.0, 1.0),)))
