"""An editor's corrections of a transcript, laid over it when it is indexed. The times of the speech stay."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from qandai.errors import TranscriptError
from qandai.model import Transcript, Word
from qandai.text import tokens
from qandai.words import Token, split, spread

REACH = 2.0
"""Seconds around `at` within which the words of an edit must begin: what a person reads off a player."""

_EDGES = re.compile(r"(?P<before>[^\w]*).*?(?P<after>[^\w]*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class WordEdit:
    """What was heard as `was` at second `at` is `now`. `line` of the edits file counts from 1."""

    at: float
    was: str
    now: str
    line: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `start` to `end`, seconds."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Edits:
    words: tuple[WordEdit, ...] = ()
    not_this_person: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """A transcript with its corrections, and the stretches in which somebody else speaks: never to be indexed."""

    transcript: Transcript
    not_this_person: tuple[Stretch, ...] = ()


def apply(transcript: Transcript, edits: Edits) -> Edited:
    """Raises TranscriptError, with the line of the edit, where its words are not said or two edits meet."""
    words = transcript.words
    places = sorted((*_place(words, edit), edit) for edit in edits.words)
    made: list[Word] = []
    starts: list[int] = []
    borders = set(transcript.segments)
    position = 0
    for first, last, edit in [*places, (len(words), len(words), None)]:
        if first < position:
            raise TranscriptError(f"line {edit.line if edit else 0}: another edit changes these words already.")
        for number in range(position, first):
            if number in borders:
                starts.append(len(made))
            made.append(words[number])
        if edit is not None:
            if borders.intersection(range(first, last + 1)):
                starts.append(len(made))
            made.extend(_changed(words[first : last + 1], edit))
        position = last + 1
    corrected = replace(transcript, words=tuple(made), segments=tuple(starts))
    return Edited(corrected, edits.not_this_person)


def _place(words: Sequence[Word], edit: WordEdit) -> tuple[int, int]:
    """First and last position of the words that the edit means: the nearest to its second."""
    wanted = tokens(edit.was)
    first = bisect_left(words, edit.at - REACH, key=lambda word: word.start)
    beyond = bisect_left(words, edit.at + REACH + 0.001, key=lambda word: word.start)
    near = sorted(range(first, beyond), key=lambda number: abs(words[number].start - edit.at))
    for number in near:
        said: tuple[str, ...] = ()
        for last in range(number, min(number + len(wanted) + 1, len(words))):
            said += tokens(words[last].text)
            if said == wanted and tokens(words[number].text):
                return number, last
    there = " ".join(word.text for word in words[first:beyond]) or "nothing"
    raise TranscriptError(
        f"line {edit.line}: {edit.was!r} is not said within {REACH:g} seconds of {edit.at:g}; there it says {there!r}."
    )


def _changed(old: Sequence[Word], edit: WordEdit) -> list[Word]:
    """The new words in the old ones' time. Punctuation around the old stays where the edit names none."""
    new = split(edit.now)
    before, after = _edges(old[0].text)[0], _edges(old[-1].text)[1]
    if not any(_edges(edit.was)) and not any(_edges(edit.now)):
        new[0] = new[0]._replace(text=before + new[0].text)
        new[-1] = new[-1]._replace(text=new[-1].text + after)
    new[0] = new[0]._replace(glued=old[0].glued)
    if len(new) == len(old):
        return [replace(word, text=token.text, glued=token.glued) for word, token in zip(old, new, strict=True)]
    times = spread([token.text for token in new], old[0].start, old[-1].end)
    return [
        _word(old[0], token, *time, is_first=n == 0) for n, (token, time) in enumerate(zip(new, times, strict=True))
    ]


def _word(old: Word, token: Token, start: float, end: float, *, is_first: bool) -> Word:
    return Word(token.text, start, end, old.exact and is_first, old.turn and is_first, old.speaker, token.glued)


def _edges(text: str) -> tuple[str, str]:
    """The punctuation before and after."""
    match = _EDGES.match(text)
    return (match["before"], match["after"]) if match else ("", "")
