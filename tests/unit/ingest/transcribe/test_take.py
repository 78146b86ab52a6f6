"""From what was heard of a piece to words of the recording (D13, D14, D19, D20, D47)."""

from __future__ import annotations

from itertools import pairwise

from qandai.hearing import Heard, HeardSegment, HeardWord, Sound
from qandai.ingest.transcribe.plan import Piece
from qandai.ingest.transcribe.take import Take, read
from qandai.model import Word

PIECE = Piece(1200.0, 1800.0, 1200.0, 1800.0)
LOUD = Sound(3600.0)


def taken(heard: Heard, *, sound: Sound = LOUD, piece: Piece = PIECE) -> Take:
    return read(heard, piece, sound)


def words(*listed: tuple[str, float | None, float | None]) -> tuple[HeardWord, ...]:
    return tuple(HeardWord(*word) for word in listed)


def text(take: Take) -> str:
    return " ".join(word.text for word in take.words)


def by_text(take: Take, wanted: str) -> Word:
    return next(word for word in take.words if word.text == wanted)


def test_punctuation_and_capitals_come_from_the_segment_and_times_from_the_words() -> None:
    heard = Heard(
        (HeardSegment(1.0, 3.2, " So, Mr. Smith left. "), HeardSegment(3.2, 4.0, " He did!")),
        words(
            ("so", 1.02, 1.3),
            ("mr", 1.5, 1.7),
            ("smith", 1.7, 2.1),
            ("left", 2.4, 2.9),
            ("he", 3.3, 3.5),
            ("did", 3.5, 3.9),
        ),
    )
    take = taken(heard)
    assert text(take) == "So, Mr. Smith left. He did!"
    assert [word.start for word in take.words] == [1201.02, 1201.5, 1201.7, 1202.4, 1203.3, 1203.5]
    assert take.segments == (0, 4)
    assert all(word.exact for word in take.words)


def test_digits_take_the_time_of_the_words_that_were_said() -> None:
    heard = Heard(
        (HeardSegment(1.0, 5.0, "It cost $43,000. Right."),),
        words(
            ("it", 1.0, 1.2),
            ("cost", 1.3, 1.6),
            ("forty", 1.8, 2.1),
            ("three", 2.1, 2.4),
            ("thousand", 2.4, 3.0),
            ("right", 4.0, 4.4),
        ),
    )
    take = taken(heard)
    money = by_text(take, "$43,000.")
    assert (money.start, money.end) == (1201.8, 1203.0)


def test_words_without_times_are_estimated_between_their_neighbours() -> None:
    heard = Heard(
        (HeardSegment(7.0, 9.0, "2266 over $43,000. Matt said 12 30"),),
        words(
            ("2266", None, None),
            ("over", 7.28, 7.40),
            ("$43,000.", None, None),
            ("Matt", 7.44, 7.54),
            ("said", 7.6, 7.9),
            ("12", None, None),
            ("30", None, None),
        ),
    )
    take = taken(heard)
    assert text(take) == "2266 over $43,000. Matt said 12 30"
    assert [word.exact for word in take.words] == [False, True, False, True, True, False, False]
    money = by_text(take, "$43,000.")
    assert 1207.40 <= money.start <= money.end <= 1207.44
    assert 1207.0 <= take.words[0].start < 1207.28
    assert all(before.start <= after.start for before, after in pairwise(take.words))
    assert take.words[-1].end <= 1209.0


def test_a_word_that_only_the_text_holds_is_estimated() -> None:
    heard = Heard(
        (HeardSegment(0.0, 4.0, "one two three four"),),
        words(("one", 0.1, 0.4), ("three", 2.0, 2.3), ("four", 2.6, 3.0)),
    )
    two = by_text(taken(heard), "two")
    assert not two.exact
    assert 1200.4 <= two.start <= two.end <= 1202.0


def test_backward_steps_are_mended_and_counted() -> None:
    heard = Heard(
        (HeardSegment(4.0, 9.0, "a b c d e"),),
        words(("a", 4.0, 4.3), ("b", 4.3, 1.1), ("c", 8.1, 8.2), ("d", 7.9, 8.4), ("e", 8.6, 8.9)),
    )
    take = taken(heard)
    assert text(take) == "a b c d e"
    assert all(before.start <= after.start for before, after in pairwise(take.words))
    assert all(word.start <= word.end for word in take.words)
    assert [abs(word.start - 1200 - at) <= 0.2 for word, at in zip(take.words, (4.0, 4.3, 8.1, 7.9, 8.6), strict=True)]
    assert sum(take.repairs.values()) >= 2


def test_words_past_the_end_are_dropped_and_small_overruns_clamped() -> None:
    heard = Heard(
        (HeardSegment(598.0, 600.4, "the real end"), HeardSegment(612.0, 618.0, "thanks for watching")),
        words(
            ("the", 598.0, 598.4),
            ("real", 598.4, 599.0),
            ("end", 599.5, 600.4),
            ("thanks", 612.0, 613.0),
            ("for", 613.0, 614.0),
            ("watching", 614.0, 618.0),
        ),
    )
    take = taken(heard)
    assert text(take) == "the real end"
    assert take.words[-1].end == 1800.0
    assert take.repairs["times past the end"] == 3


def test_without_word_times_everything_is_estimated_and_counted_as_coarse() -> None:
    take = taken(Heard((HeardSegment(1.0, 3.0, "Only the segment has times."),)))
    assert text(take) == "Only the segment has times."
    assert not any(word.exact for word in take.words)
    assert take.repairs["coarse times"] == 5
    assert take.words[0].start == 1201.0


def test_a_loop_after_silence_is_dropped_and_its_stretch_named() -> None:
    spoken = [("we", 0.0, 0.4), ("begin", 0.4, 0.9), ("here", 0.9, 1.3)]
    loop = [pair for n in range(60) for pair in (("I'm", 20.0 + n, 20.4 + n), ("sorry.", 20.4 + n, 21.0 + n))]
    more = [(f"word{n}", 90.0 + n * 0.4, 90.3 + n * 0.4) for n in range(200)]
    segments = [
        HeardSegment(0.0, 1.3, "we begin here"),
        *(HeardSegment(20.0 + n, 21.0 + n, "I'm sorry.", -0.2, 0.1, 12.0) for n in range(60)),
        HeardSegment(90.0, 170.0, " ".join(word for word, _, _ in more)),
    ]
    take = taken(Heard(tuple(segments), words(*spoken, *loop, *more)))
    assert "sorry." not in text(take)
    assert text(take).startswith("we begin here word0")
    assert take.repairs["loops"] == 120
    assert [(gap.start, gap.end, gap.reason) for gap in take.gaps] == [(1220.0, 1280.0, "loop")]


def test_a_slogan_said_six_times_stays() -> None:
    slogan = [
        (word, 2.0 * n + 0.3 * at, 2.0 * n + 0.3 * at + 0.25 + 0.02 * n)
        for n in range(6)
        for at, word in enumerate(("yes", "we", "can"))
    ]
    heard = Heard((HeardSegment(0.0, 12.0, "Yes we can. " * 6),), words(*slogan))
    assert text(taken(heard)).count("can.") == 6


def test_farewells_in_a_silence_are_dropped() -> None:
    sound = Sound(3600.0, ((1300.0, 1330.0),))
    farewell = HeardSegment(102.0, 104.0, "Thanks for watching!", -0.3, 0.2, 1.0)
    heard = Heard(
        (HeardSegment(0.0, 2.0, "This was said by her."), farewell),
        words(
            ("This", 0.0, 0.3),
            ("was", 0.3, 0.6),
            ("said", 0.6, 1.0),
            ("by", 1.0, 1.3),
            ("her", 1.4, 2.0),
            ("Thanks", 102.0, 102.6),
            ("for", 102.6, 103.0),
            ("watching", 103.0, 104.0),
        ),
    )
    take = taken(heard, sound=sound)
    assert text(take) == "This was said by her."
    assert take.repairs["silence phrases"] == 3
    assert "watching!" in text(taken(heard))  # the same where something sounds


def test_impossible_speech_is_dropped() -> None:
    burst = [(f"w{n}", 5.0 + n * 0.05, 5.05 + n * 0.05) for n in range(20)]
    calm = [(f"c{n}", 10.0 + n * 0.4, 10.3 + n * 0.4) for n in range(20)]
    heard = Heard(
        (
            HeardSegment(5.0, 6.0, " ".join(word for word, _, _ in burst)),
            HeardSegment(10.0, 18.0, " ".join(word for word, _, _ in calm)),
        ),
        words(*burst, *calm),
    )
    take = taken(heard)
    assert take.words[0].text == "c0"
    assert take.repairs["impossible speech rate"] == 20


def test_a_script_without_spaces_keeps_the_words_that_were_timed() -> None:
    heard = Heard(
        (HeardSegment(0.0, 3.0, "こんにちは、世界。"),),
        words(("こんにちは", 0.2, 1.2), ("世界", 1.4, 2.2)),
    )
    take = taken(heard)
    assert "".join(word.text for word in take.words) == "こんにちは、世界。"
    assert take.words[0].start == 1200.2
    assert any(word.start == 1201.4 for word in take.words)
    assert all(word.glued for word in take.words[1:])


def test_nothing_heard_is_an_empty_take() -> None:
    assert taken(Heard(())) == Take(PIECE)


def test_a_piece_of_nothing_but_inventions_is_empty_and_says_so() -> None:
    invented = HeardSegment(10.0, 12.0, "Untertitelung des ZDF, 2020", -1.4, 0.9, 1.0)
    take = taken(
        Heard(
            (invented,),
            words(("Untertitelung", 10.0, 11.0), ("des", 11.0, 11.2), ("ZDF,", 11.2, 11.6), ("2020", 11.6, 12.0)),
        )
    )
    assert take.words == ()
    assert take.gaps[0].reason == "silence"


def test_a_word_begins_where_something_is_heard() -> None:
    """The first word after a pause is placed too early, the last before it too long."""
    sound = Sound(3600.0, ((1200.0, 1200.5), (1201.5, 1203.0)))
    heard = Heard(
        (HeardSegment(0.1, 4.0, "One two three"),),
        words(("One", 0.1, 0.9), ("two", 1.0, 2.8), ("three", 2.8, 4.0)),
    )
    take = taken(heard, sound=sound)
    assert [(word.start, word.end) for word in take.words] == [(1200.45, 1200.9), (1201.0, 1201.55), (1202.95, 1204.0)]
    assert all(word.exact for word in take.words)


def test_a_word_within_a_silence_stays_where_it_was_heard() -> None:
    sound = Sound(3600.0, ((1200.0, 1202.0),))
    take = taken(
        Heard((HeardSegment(0.5, 1.5, "quiet words"),), words(("quiet", 0.5, 1.0), ("words", 1.0, 1.5))), sound=sound
    )
    assert [word.start for word in take.words] == [1200.5, 1201.0]
