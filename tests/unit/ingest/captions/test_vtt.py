"""WebVTT: plain, with voices, rolling; and SRT, which shares its lines."""

from __future__ import annotations

import pytest

from qandai.errors import NoSpeech
from qandai.ingest.captions import parse
from tests.unit.ingest.captions.files import read, text, timed, vtt

ROLLING = vtt(
    ("0.16 3.43", "a<00:00:00.500><c> b</c><00:00:01.000><c> c</c>"),
    ("3.43 3.44", "a b c"),
    ("3.44 5.7", "a b c\nd<00:00:04.000><c> e</c>"),
)


def test_rolling_captions_say_each_word_once_at_its_tag() -> None:
    assert read(ROLLING) == [("a", 0.16), ("b", 0.5), ("c", 1.0), ("d", 3.44), ("e", 4.0)]
    assert all(word.exact for word in parse(ROLLING).words)
    assert parse(ROLLING).captions == "auto"


def test_who_truly_says_no_three_times_keeps_three() -> None:
    content = vtt(
        ("0 2", "no<00:00:00.500><c> no</c><00:00:01.000><c> no</c>"),
        ("2 2.01", "no no no"),
        ("2.01 4", "no no no\nno<00:00:02.500><c> no</c><00:00:03.000><c> no</c>"),
    )
    assert [word for word, _ in read(content)] == ["no"] * 6


def test_a_row_of_one_word_has_no_tag_and_is_still_said() -> None:
    content = vtt(
        ("0 2", "so<00:00:00.500><c> then</c>"), ("2 2.01", "so then"), ("2.01 3", "so then\nokay"), ("3 3.01", "okay")
    )
    assert read(content) == [("so", 0.0), ("then", 0.5), ("okay", 2.01)]


def test_rolling_captions_without_tags_say_each_row_once() -> None:
    rows = ["one two", "three four", "five six", "seven eight", "nine ten"]
    cues = [(f"{n} {n + 1}", "\n".join(rows[max(0, n - 1) : n + 1])) for n in range(len(rows))]
    assert text(vtt(*cues)) == " ".join(rows)


def test_a_line_said_twice_in_plain_captions_stays_twice() -> None:
    assert text(vtt(("0 1", "Tap tap tap"), ("1 2", "Tap tap tap"), ("2 3", "Point up"))) == (
        "Tap tap tap Tap tap tap Point up"
    )


def test_the_first_word_of_a_cue_has_its_time_and_the_rest_are_estimates() -> None:
    parsed = parse(vtt(("1 3", "one two three four")))
    assert [word.exact for word in parsed.words] == [True, False, False, False]
    assert (parsed.words[0].start, parsed.words[-1].end) == (1.0, 3.0)


def test_a_long_cue_of_few_words_does_not_stretch_them_over_the_pause() -> None:
    assert parse(vtt(("10 70", "one two"))).words[-1].end == 13.0


def test_zoom_names_are_speakers_whatever_their_spelling() -> None:
    content = vtt(
        ("0 1", "Ann Lee: Hello."),
        ("1 2", "pk910: Hi: there."),
        ("2 3", "Barnabé + Ben 🚗: Bye, bye."),
        ("3 4", "Ann Lee: So."),
    )
    words = parse(content).words
    assert [(word.text, word.speaker) for word in words] == [
        ("Hello.", "Ann Lee"),
        ("Hi:", "pk910"),
        ("there.", "pk910"),
        ("Bye,", "Barnabé + Ben 🚗"),
        ("bye.", "Barnabé + Ben 🚗"),
        ("So.", "Ann Lee"),
    ]
    assert [word.turn for word in words] == [False, True, False, True, False, True]


def test_two_labels_in_one_cue_make_two_speakers() -> None:
    words = parse(
        vtt(("0 2", "JJB : Bonjour !\nJLM : Bonjour monsieur"), ("2 4", "JLM : Oui"), ("4 5", "JJB : Non"))
    ).words
    assert [(word.text, word.speaker) for word in words][:4] == [
        ("Bonjour", "JJB"),
        ("!", "JJB"),
        ("Bonjour", "JLM"),
        ("monsieur", "JLM"),
    ]
    assert parse(vtt(("0 2", "JJB : Bonjour !\nJLM : Oui"), ("2 3", "JLM : Un"), ("3 4", "JJB : Deux"))).segments == (
        0,
        2,
        3,
        4,
    )


def test_a_colon_in_a_sentence_is_no_label() -> None:
    said = "Here is the thing: nobody knows"
    assert text(vtt(("0 2", said), ("2 4", "And then she said: no"), ("4 6", "Well"), ("6 8", "Oh"))) == (
        f"{said} And then she said: no Well Oh"
    )


def test_the_same_line_shown_three_times_is_no_label_either() -> None:
    line = "谁都会难以想象到接下来的信息: 属于他们"
    assert parse(vtt(("0 1", line), ("1 2", line), ("2 3", line))).words[0].speaker is None


def test_voices_are_speakers_until_another_speaks() -> None:
    words = parse(vtt(("0 1", "<v Ann>Hello</v>"), ("1 2", "<v.loud Ben Low>Hi <i>you</i>"), ("2 3", "there"))).words
    assert [(word.text, word.speaker, word.turn) for word in words] == [
        ("Hello", "Ann", False),
        ("Hi", "Ben Low", True),
        ("you", "Ben Low", False),
        ("there", "Ben Low", False),
    ]


def test_bracketed_labels_are_speakers() -> None:
    words = parse(vtt(("0 1", "[Guest 1]: Well"), ("1 2", "[Host]: Yes"), ("2 3", "[Host]: And"))).words
    assert [(word.text, word.speaker, word.turn) for word in words] == [
        ("Well", "Guest 1", False),
        ("Yes", "Host", True),
        ("And", "Host", False),
    ]


@pytest.mark.parametrize(
    ("cue", "words", "turns"),
    [
        ("- Hello there", "Hello there", [True, False]),
        ("- Really?\n- Really.", "Really? Really.", [True, True]),
        ("-As a string. -Yeah.", "As a string. Yeah.", [True, False, False, True]),
        ("– Où ?\n– Ici", "Où ? Ici", [True, False, True]),
        ("- you know me - and so", "- you know me - and so", [False] * 7),
        ("- He prepared it in May -", "- He prepared it in May -", [False] * 7),
        ("-5 degrees", "-5 degrees", [False, False]),
    ],
)
def test_dashes_at_the_start_of_a_line_are_turns_unless_they_hold_an_aside(
    cue: str, words: str, turns: list[bool]
) -> None:
    parsed = parse(vtt(("0 2", cue)))
    assert " ".join(word.text for word in parsed.words) == words
    assert [word.turn for word in parsed.words] == turns


def test_chinese_has_a_word_for_each_character_and_no_spaces_between_cues() -> None:
    content = vtt(("0 2", "世界上真实，有8个人。"), ("2 3", "谁？"), header="WEBVTT\nLanguage: zh")
    assert text(content) == "世界上真实，有8个人。谁？"
    assert [word.text for word in parse(content).words] == [
        "世",
        "界",
        "上",
        "真",
        "实，",
        "有",
        "8",
        "个",
        "人。",
        "谁？",
    ]


def test_the_header_tells_language_and_video() -> None:
    parsed = parse(vtt(("0 1", "oui"), header="WEBVTT\nKind: captions\nLanguage: fr\nVideo: pZQfccTuVLo"))
    assert (parsed.language, parsed.video_id) == ("fr", "pZQfccTuVLo")


def test_notes_styles_names_and_settings_are_not_said() -> None:
    content = (
        b"WEBVTT - a title\n\nNOTE\nnot said\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:02.000 line:0\n"
        b"said\n\nNOTE also not\n\n5\n100:00:00.000 --> 100:00:01.000\nlate\n"
    )
    assert read(content) == [("said", 1.0), ("late", 360000.0)]


def test_a_cue_whose_time_cannot_be_read_keeps_its_words_between_its_neighbours() -> None:
    content = b"WEBVTT\n\n00:01.000 --> 00:02.000\none\n\n00:zz --> 00:03.000\ntwo\n\n00:04.000 --> 00:05.000\nthree\n"
    parsed = parse(content)
    assert [word.text for word in parsed.words] == ["one", "two", "three"]
    assert 2.0 <= parsed.words[1].start <= 4.0
    assert not parsed.words[1].exact
    assert parsed.repairs == {"unreadable times": 1}


def test_srt_reads_commas_short_hours_and_text_behind_empty_lines() -> None:
    content = (
        b"\xef\xbb\xbf1\r\n00:00:01,500 --> 00:00:02,000\r\n<i>One</i>\r\ntwo\r\n\r\nthree\r\n\r\n"
        b"2\r\n0:00:03.5 --> 0:00:04\r\nfour 4\r\n3\r\n00:00:05,000 --> 00:00:06,000\r\n{\\an8}five\r\n"
    )
    assert text(content) == "One two three four 4 five"
    assert [start for word, start in read(content) if word in ("One", "four", "five")] == [1.5, 3.5, 5.0]


def test_a_cue_that_ends_before_it_starts_keeps_its_start() -> None:
    parsed = parse(vtt(("126 102", "hello there"), ("130 131", "next")))
    assert timed(parsed)[0] == ("hello", 126.0)
    assert parsed.repairs == {"ends before starts": 1}


def test_a_file_of_noises_is_no_speech() -> None:
    with pytest.raises(NoSpeech, match="no speech"):
        parse(vtt(("0 5", "[BLANK_AUDIO]"), ("5 9", "(applause)")))
