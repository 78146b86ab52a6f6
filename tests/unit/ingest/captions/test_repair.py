"""What recognisers get wrong is repaired or dropped, and counted; what people repeat stays."""

from __future__ import annotations

import pytest

from qandai.errors import NoSpeech, TranscriptError
from qandai.ingest.captions import parse
from qandai.model import Gap
from tests.unit.ingest.captions.files import read, segment, text, timed, vtt, whisper


def in_time(words: str, *, start: float = 0.0, each: float = 0.4) -> dict[str, object]:
    """A segment whose words come one after the other."""
    said = words.split()
    listed = [(word, round(start + n * each, 3), round(start + (n + 1) * each, 3)) for n, word in enumerate(said)]
    return segment(start, start + len(said) * each, words, listed)


def test_ends_before_starts_and_steps_back_are_mended_without_moving_the_rest() -> None:
    parsed = parse(
        whisper(segment(4, 9, "a b c d", [("a", 4.0, 4.3), ("b", 4.3, 1.1), ("c", 8.1, 8.2), ("d", 7.9, 8.4)]))
    )
    starts = [word.start for word in parsed.words]
    assert starts == sorted(starts)
    assert all(word.end >= word.start for word in parsed.words)
    assert starts[:2] == [4.0, 4.3]
    assert abs(starts[2] - 8.1) <= 0.2
    assert parsed.repairs == {"ends before starts": 1, "backward steps": 1}


def test_one_wild_time_does_not_drag_the_words_behind_it() -> None:
    words = [("a", 1.0, 1.2), ("b", 76.67, 77.0), ("c", 1.8, 2.0), ("d", 2.0, 2.2), ("e", 2.4, 2.5)]
    parsed = parse(whisper(segment(1, 3, "a b c d e", words)))
    assert [start for word, start in timed(parsed) if word != "b"] == [1.0, 1.8, 2.0, 2.4]
    wild = parsed.words[1]
    assert 1.2 <= wild.start <= 1.8
    assert not wild.exact


def test_times_that_run_backwards_throughout_are_refused() -> None:
    words = [(f"w{n}", 100.0 - 3 * n, 101.0 - 3 * n) for n in range(20)]
    with pytest.raises(TranscriptError, match="19 of 20 words run backwards"):
        parse(whisper(segment(0, 100, " ".join(word for word, _, _ in words), words)))


def test_words_past_the_end_are_dropped_and_overruns_clamped() -> None:
    content = whisper(
        segment(598, 600.4, "the end", [("the", 599.0, 599.4), ("end", 599.6, 600.4)]),
        segment(612, 618, "thanks for watching", [("thanks", 612, 613), ("for", 613, 614), ("watching", 614, 618)]),
    )
    parsed = parse(content, media_duration=600.0)
    assert [(word.text, word.end) for word in parsed.words] == [("the", 599.4), ("end", 600.0)]
    assert parsed.repairs == {"times past the end": 3}


def test_words_heard_twice_at_a_join_are_said_once() -> None:
    content = whisper(
        segment(0, 1, "kept me honest", [("kept", 0.0, 0.3), ("me", 0.3, 0.5), ("honest", 0.5, 0.9)]),
        segment(0.38, 2, "me honest always", [("me", 0.38, 0.58), ("honest", 0.58, 0.98), ("always", 1.0, 1.4)]),
    )
    parsed = parse(content)
    assert [word.text for word in parsed.words] == ["kept", "me", "honest", "always"]
    assert parsed.repairs == {"doubled words": 2}


def test_a_word_truly_said_again_across_a_join_stays() -> None:
    content = whisper(
        segment(0, 1, "no no", [("no", 0, 0.2), ("no", 0.2, 0.4)]), segment(0.4, 1, "no", [("no", 0.4, 0.6)])
    )
    assert text(content) == "no no no"


def test_a_loop_behind_silence_is_dropped_and_its_stretch_marked() -> None:
    speech = [
        in_time("so this is what I came to say today and it took me years to see it", start=n * 10) for n in range(8)
    ]
    loop = [in_time("I'm sorry.", start=100.0 + n, each=0.5) for n in range(60)]
    parsed = parse(whisper(*speech, *loop))
    assert len(parsed.words) == 8 * 17
    assert parsed.repairs == {"loops": 120}
    assert parsed.gaps == (Gap(100.0, 160.0, "loop"),)


def test_a_loop_that_is_most_of_the_file_is_refused() -> None:
    loop = [in_time("I'm sorry.", start=20.0 + n, each=0.5) for n in range(60)]
    with pytest.raises(NoSpeech, match="loops: 120 of 121 words"):
        parse(whisper(in_time("Hello"), *loop))


def test_figures_that_confirm_a_loop_make_a_short_one_count() -> None:
    speech = [in_time("one thing that I learned there is to listen", start=n * 5) for n in range(3)]
    stuck = in_time("got them, " * 5, start=40.0) | {"compression_ratio": 9.5}
    assert parse(whisper(*speech, stuck)).repairs == {"loops": 10}
    assert "loops" not in parse(whisper(*speech, in_time("got them, " * 5, start=40.0))).repairs


def test_a_slogan_said_six_times_and_a_long_no_stay() -> None:
    slogan = in_time("yes we can " * 6)
    assert len(parse(whisper(slogan)).words) == 18
    assert len(parse(whisper(in_time("no " * 11))).words) == 11


def test_a_chorus_stays() -> None:
    verse = "we walked along the river and never once looked back"
    cues = [(f"{n * 4} {n * 4 + 4}", verse if n % 2 else "one little finger tap tap tap") for n in range(16)]
    assert len(parse(vtt(*cues)).words) == 8 * 10 + 8 * 6


def test_sung_repetition_of_uneven_time_stays() -> None:
    starts = [0.0, 1.1, 2.9, 4.0, 6.2, 7.0, 8.8, 9.7, 11.9, 13.0, 14.1, 16.3]
    songs = [in_time("around the world", start=start, each=0.3) for start in starts]
    assert len(parse(whisper(*songs)).words) == 36


def test_credits_that_nobody_speaks_are_dropped() -> None:
    speech = in_time("so that was the whole of it and now you know")
    credit = in_time("Υπότιτλοι AUTHORWAVE", start=30.0)
    parsed = parse(whisper(speech, credit))
    assert parsed.repairs == {"silence phrases": 2}
    assert parsed.gaps == (Gap(30.0, 30.8, "silence"),)


def test_a_farewell_is_dropped_only_where_nobody_was_heard() -> None:
    speech = in_time("so that was the whole of it and now you know")
    farewell = in_time("Thanks for watching!", start=30.0)
    assert text(whisper(speech, farewell)).endswith("Thanks for watching!")
    assert parse(whisper(speech, farewell | {"no_speech_prob": 0.9})).repairs == {"silence phrases": 3}


def test_unsure_text_without_speech_is_dropped() -> None:
    speech = in_time("so that was the whole of it and now you know")
    guess = in_time("a guess", start=30.0) | {"no_speech_prob": 0.9, "avg_logprob": -1.4}
    assert parse(whisper(speech, guess)).repairs == {"no speech": 2}


def test_nothing_is_repaired_in_a_sound_file() -> None:
    content = whisper(in_time("a plain sentence"), in_time("and another", start=5.0))
    assert not parse(content).repairs
    assert not parse(content).gaps
    assert read(content)[3] == ("and", 5.0)
