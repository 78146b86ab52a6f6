"""An editor's corrections: words change, times do not."""

from __future__ import annotations

import pytest

from qandai.edits import Edits, Stretch, WordEdit, apply
from qandai.errors import TranscriptError
from qandai.model import Transcript, Word, join
from tests.build import AUDIO, said

TALK = Transcript(AUDIO, said("we use cubes os, and cubes are fine", at=10.0), segments=(0, 4))


def edited(*edits: WordEdit) -> Transcript:
    return apply(TALK, Edits(edits)).transcript


def test_the_nearest_words_are_changed_and_keep_their_time_and_punctuation() -> None:
    after = edited(WordEdit(11.1, "Cubes OS", "Qubes OS", 2))
    assert join(after.words) == "we use Qubes OS, and cubes are fine"
    assert [word.start for word in after.words] == [word.start for word in TALK.words]
    assert join(edited(WordEdit(12.4, "cubes", "Qubes", 2)).words) == "we use cubes os, and Qubes are fine"


def test_more_words_share_the_time_of_the_old_ones() -> None:
    after = edited(WordEdit(13.0, "are", "are always", 2))
    are, always = after.words[6:8]
    assert (are.start, always.end) == (13.0, 13.5)
    assert (are.exact, always.exact) == (True, False)
    assert after.segments == (0, 4)


def test_segments_move_with_their_words() -> None:
    assert edited(WordEdit(11.0, "cubes os", "QubesOS", 2)).segments == (0, 3)


def test_an_edit_that_names_its_punctuation_gets_it() -> None:
    assert join(edited(WordEdit(11.5, "os,", "OS.", 2)).words) == "we use cubes OS. and cubes are fine"


def test_words_that_are_not_said_there_are_refused_with_the_line() -> None:
    with pytest.raises(TranscriptError, match="line 7: 'cubes' is not said within 2 seconds of 40; there it says 'no"):
        edited(WordEdit(40.0, "cubes", "Qubes", 7))
    with pytest.raises(TranscriptError, match=r"line 3: 'keyboards'.*'we use cubes os, and'"):
        edited(WordEdit(10.0, "keyboards", "x", 3))


def test_two_edits_of_the_same_words_are_refused() -> None:
    with pytest.raises(TranscriptError, match="line 4: another edit"):
        edited(WordEdit(11.0, "cubes os", "Qubes OS", 2), WordEdit(11.5, "os", "OS", 4))


def test_a_turn_and_a_speaker_stay() -> None:
    words = (Word("hello", 0, 0.5), Word("ann", 0.5, 1.0, turn=True, speaker="B"))
    after = apply(Transcript(AUDIO, words), Edits((WordEdit(0.5, "ann", "Anne", 1),))).transcript
    assert after.words[1] == Word("Anne", 0.5, 1.0, turn=True, speaker="B")


def test_stretches_of_others_are_handed_on() -> None:
    stretches = (Stretch(0.0, 4.5),)
    assert apply(TALK, Edits(not_this_person=stretches)).not_this_person == stretches
    assert apply(TALK, Edits()).transcript == TALK
