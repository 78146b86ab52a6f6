"""Whose words a transcript holds."""

from __future__ import annotations

from dataclasses import replace

from qandai.edits import Edited, Stretch
from qandai.ingest.speakers import attributed, only_theirs, rows
from qandai.model import Gap, Person, Transcript, Video, Word
from tests.build import said

VIDEO = Video("v", "An interview", language="en")
LONG = "well it began a long time ago when nobody thought of it and I was still at school"


def conversation(*turns: tuple[str | None, str]) -> Transcript:
    words: list[Word] = []
    for speaker, text in turns:
        spoken = said(text, at=words[-1].end if words else 0.0, each=0.4)
        words.append(replace(spoken[0], turn=bool(words), speaker=speaker))
        words += [replace(word, speaker=speaker) for word in spoken[1:]]
    return Transcript(VIDEO, tuple(words), segments=(0,))


def speakers(transcript: Transcript) -> list[str | None]:
    """Of each turn."""
    return [w.speaker for n, w in enumerate(transcript.words) if n == 0 or w.turn]


def test_names_in_captions_become_the_names_of_the_person_file() -> None:
    person = Person("ada", "Ada Lovelace", speaker="interview", host="Carl Jung")
    heard = conversation(("JUNG", "Why numbers?"), ("Ada", LONG), ("A L", "and more"), ("Stranger", "hello there"))
    assert speakers(attributed(heard, person)) == ["Carl Jung", "Ada Lovelace", "A L", "Stranger"]


def test_numbered_voices_are_told_apart_by_who_asks() -> None:
    person = Person("ada", "Ada Lovelace", speaker="interview", host="Carl")
    heard = conversation(
        ("SPEAKER_00", "Why did you begin?"), ("SPEAKER_01", LONG),
        ("SPEAKER_00", "And what came then?"), ("SPEAKER_01", LONG), ("SPEAKER_02", "hello"),
    )  # fmt: skip
    assert speakers(attributed(heard, person)) == ["Carl", "Ada Lovelace", "Carl", "Ada Lovelace", "SPEAKER_02"]


def test_turns_without_names_are_shared_out_by_their_form() -> None:
    person = Person("ada", "Ada Lovelace", speaker="interview", host="Carl")
    heard = conversation((None, "how did you start"), (None, LONG), (None, "yes"), (None, "Why is that?"), (None, LONG))
    assert speakers(attributed(heard, person)) == ["Carl", "Ada Lovelace", None, "Carl", "Ada Lovelace"]


def test_nothing_is_guessed_for_a_solo_speaker_or_an_unnamed_host() -> None:
    heard = conversation((None, "Why is that?"), (None, LONG))
    assert attributed(heard, Person("ada", "Ada", speaker="solo")) is heard
    assert attributed(heard, Person("ada", "Ada", speaker="interview")) is heard


def test_what_is_marked_as_somebody_elses_is_no_longer_there_and_nothing_bridges_it() -> None:
    heard = Transcript(VIDEO, said("one two three four five six seven eight", each=1.0), segments=(0, 4))
    theirs = only_theirs(Edited(heard, (Stretch(2.0, 5.0),)))
    assert [word.text for word in theirs.words] == ["one", "two", "six", "seven", "eight"]
    assert theirs.segments == (0,)
    assert [[word.text for word in row.words] for row in rows(theirs)] == [["one", "two"], ["six", "seven", "eight"]]
    assert [row.offset for row in rows(theirs)] == [0, 2]


def test_everything_may_be_somebody_elses() -> None:
    heard = Transcript(VIDEO, said("one two"), segments=(0,))
    theirs = only_theirs(Edited(heard, (Stretch(0.0, 60.0),)))
    assert theirs.words == ()
    assert rows(theirs) == ()


def test_a_passage_bridges_no_long_gap_but_a_short_one() -> None:
    words = said("one two", at=0.0) + said("three four", at=2.0) + said("five six", at=20.0)
    heard = Transcript(VIDEO, words, gaps=(Gap(1.0, 2.0, "silence"), Gap(3.0, 20.0, "untranscribed")))
    assert [len(row.words) for row in rows(heard)] == [4, 2]
