"""Text from segments, times from words.

A service lists words with times but often without punctuation and capitals, and segments with both but with coarse
times. The two are aligned; a word of the text that nobody timed is estimated between its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from qandai.hearing import Heard, HeardSegment, HeardWord
from qandai.ingest.captions import clean
from qandai.ingest.captions.draft import Json
from qandai.text import tokens
from qandai.words import Token, split

_STRAY = 3.0  # seconds outside its segment from which on a word's time belongs to another one


def segments_of(heard: Heard) -> list[Json]:
    """The segments with their words in them, as the reader of segments takes them."""
    if not heard.segments:
        return [{"words": [_word(word.text, word.start, word.end) for word in heard.words]}] if heard.words else []
    texts = [clean.said(clean.plain(segment.text), tagged=True) for segment in heard.segments]
    if not heard.words:
        return [
            {**_segment(segment, text), "interpolated": True}
            for segment, text in zip(heard.segments, texts, strict=True)
        ]
    units = _aligned(heard.segments, texts, heard.words)
    return [
        {**_segment(segment, text), "words": list(its_units)}
        for segment, text, its_units in zip(heard.segments, texts, units, strict=True)
        if its_units
    ]


def _segment(segment: HeardSegment, text: str) -> dict[str, Json]:
    return {
        "start": segment.start,
        "end": segment.end,
        "text": text,
        "avg_logprob": segment.average_log_probability,
        "no_speech_prob": segment.no_speech_probability,
        "compression_ratio": segment.compression_ratio,
    }


def _word(text: str, start: float | None, end: float | None) -> dict[str, Json]:
    return {"word": text, "start": start, "end": end}


@dataclass(slots=True)
class _Unit:
    """A word of the text while it looks for its time; `first` and `last` are positions of heard words."""

    segment: int
    token: Token
    first: int | None = None
    last: int | None = None
    begins: bool = False  # it begins where the heard word `first` begins


def _aligned(
    segments: Sequence[HeardSegment], texts: Sequence[str], words: Sequence[HeardWord]
) -> list[list[dict[str, Json]]]:
    """For each segment the words of its text, with times where the heard words have them."""
    units = [_Unit(number, token) for number, text in enumerate(texts) for token in split(text)]
    ours = [(key, number) for number, unit in enumerate(units) for key in tokens(unit.token.text)]
    theirs = [(key, number) for number, word in enumerate(words) for key in tokens(word.text)]
    for tag, a, a_end, b, b_end in _opcodes([key for key, _ in ours], [key for key, _ in theirs]):
        if tag == "equal":
            for (_, number), place in zip(ours[a:a_end], range(b, b_end), strict=True):
                heard = theirs[place][1]
                _meet(units[number], heard, begins=place == 0 or theirs[place - 1][1] != heard)
        elif tag == "replace":  # digits against number words: the same stretch of speech
            mine = sorted({number for _, number in ours[a:a_end]})
            _share([units[number] for number in mine], sorted({number for _, number in theirs[b:b_end]}))
    given: list[list[dict[str, Json]]] = [[] for _ in segments]
    before: _Unit | None = None
    for unit in units:
        listed = given[unit.segment]
        if before is not None and listed and _goes_on(before, unit):
            listed[-1] = {**listed[-1], "word": f"{listed[-1]['word']}{unit.token.text}"}
        else:
            listed.append(_word(unit.token.text, *_times(unit, segments[unit.segment], words)))
        before = unit
    return given


def _goes_on(before: _Unit, unit: _Unit) -> bool:
    """In a script without spaces: whether it belongs to the same heard word as the character before it."""
    return unit.token.glued and unit.first is not None and unit.first == before.last and not unit.begins


def _opcodes(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    if ours == theirs:
        return [("equal", 0, len(ours), 0, len(theirs))]
    return [tuple(code) for code in SequenceMatcher(a=ours, b=theirs, autojunk=False).get_opcodes()]  # type: ignore[misc]


def _meet(unit: _Unit, heard: int, *, begins: bool) -> None:
    if unit.first is None:
        unit.first, unit.begins = heard, begins
    unit.last = heard


def _share(units: Sequence[_Unit], heard: Sequence[int]) -> None:
    free = [unit for unit in units if unit.first is None]
    if not free or not heard:
        return
    if len(free) == len(heard):
        for unit, number in zip(free, heard, strict=True):
            _meet(unit, number, begins=True)
    else:
        _meet(free[0], heard[0], begins=True)
        if len(free) == 1:
            free[0].last = heard[-1]


def _times(unit: _Unit, segment: HeardSegment, words: Sequence[HeardWord]) -> tuple[float | None, float | None]:
    if unit.first is None or unit.last is None or not unit.begins:
        return None, None
    start, end = words[unit.first].start, words[unit.last].end
    if start is None or not segment.start - _STRAY <= start <= max(segment.start, segment.end) + _STRAY:
        return None, None
    return start, end
