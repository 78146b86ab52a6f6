"""A recording's row of words cut into passages, the unit that is indexed and ranked, and into their sentences.

Cuts fall at sentence ends, turns and measured pauses, never inside a word. Estimated times make no pause: where
words were spread over a caption cue, its borders say how the captions were typed and not how the person spoke.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qandai.model import Row, Span, Word
from qandai.ports import Leaf, Vectors

MAX_CHARS = 1000
"""No passage is longer, whatever is asked for; embedders read about this much."""

PAUSE = 0.6
"""Seconds of measured silence that end a stretch of speech where nothing is punctuated."""

_LONG_PAUSE = 2.0  # ends a sentence though no punctuation says so: a new thought, or another scene
_MOST_WORDS = 30  # without punctuation, a stretch is cut at its longest pause before it grows past this
_FEWEST_WORDS = 4  # and no piece of it is shorter
_MOST_SENTENCE_CHARS = 400

_CLOSING = "\"'’”»)]"
_SOFT_ENDS = (";", "\u037e", "·")  # the Greek question mark; no sentence end elsewhere
_ENDS = (*".!?…。！？؟", *_SOFT_ENDS)
_ABBREVIATION = re.compile(
    r"(?!I\.)(?:\w\.-?)+\Z|(?:mr|mrs|ms|dr|prof|st|vs|inc|jr|sr|mme|mlle|cf|z\.b|κ|κα|αρ|σελ|π\.χ|δηλ)\.\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """`sentences` tile `span` in order."""

    span: Span
    sentences: tuple[Span, ...]

    @property
    def id(self) -> str:
        return self.span.id

    @property
    def text(self) -> str:
        return self.span.text


def sentences(row: Row, *, language: str = "en") -> tuple[Span, ...]:
    """Tiles the row. Where punctuation is missing, stretches between pauses stand in for sentences."""
    spans: list[Span] = []
    first = 0
    for position in range(1, len(row.words) + 1):
        if position == len(row.words) or _ends_between(row.words[position - 1], row.words[position], language):
            spans.extend(
                row.span(row.offset + begin, row.offset + end - 1)
                for begin, end in _shorten(row.words, first, position)
            )
            first = position
    return tuple(spans)


def cut(row: Row, *, chars: int = 300, overlap: int = 0, language: str = "en") -> tuple[Passage, ...]:
    """Consecutive sentences gathered into passages of about `chars` characters (at most 1000).

    A passage ends early at a turn or a long measured pause once it holds a third of that. With `overlap`, each
    passage begins with the last sentences of the one before, up to so many characters.
    """
    units = sentences(row, language=language)
    lengths = [len(unit.text) + 1 for unit in units]
    passages: list[Passage] = []
    begin = 0
    while begin < len(units):
        end = _grow(units, lengths, begin, chars)
        passages.append(Passage(row.span(units[begin].first, units[end - 1].last), units[begin:end]))
        if end == len(units):
            break
        begin = step_back(lengths, begin, end, overlap)
    return tuple(passages)


def stitch(leaves: Sequence[Leaf]) -> tuple[Row, tuple[Span, ...], Vectors]:
    """Stored passages that follow one another in one video, as one row with its sentences and their vectors.

    Overlapping words and sentences are kept once. Raises ValueError for passages that leave a hole between them.
    """
    words: list[Word] = []
    offset = leaves[0].passage.first
    borders: dict[tuple[int, int], np.ndarray] = {}
    for leaf in leaves:
        gap = leaf.passage.first - (offset + len(words))
        if gap > 0:
            raise ValueError(f"{leaf.passage.id} does not follow word {offset + len(words) - 1}")
        words.extend(leaf.passage.words[-gap:] if gap else leaf.passage.words)
        for sentence, vector in zip(leaf.sentences, leaf.vectors, strict=True):
            borders.setdefault((sentence.first, sentence.last), vector)
    row = Row(leaves[0].passage.video, tuple(words), offset)
    ordered = sorted(borders)
    return row, tuple(row.span(*border) for border in ordered), np.stack([borders[border] for border in ordered])


def pause(before: Word, after: Word) -> float:
    """Seconds of measured silence between two words; 0 where either time is an estimate."""
    return max(0.0, after.start - before.end) if before.exact and after.exact else 0.0


def starts_anew(before: Word, after: Word) -> bool:
    """Whether another speaker begins with the second word, or somebody after a long silence."""
    return after.turn or pause(before, after) >= _LONG_PAUSE


def ends_sentence(text: str, following: str, *, language: str = "en") -> bool:
    """Whether a word as written closes a sentence, given the word after it."""
    bare = text.rstrip(_CLOSING)
    if not bare.endswith(_ENDS) or (bare.endswith(_SOFT_ENDS) and language.split("-")[0] != "el"):
        return False
    if _ABBREVIATION.match(text.lstrip("\"'‘“«([")):
        return False
    return not (following[:1].islower() and bare.endswith((".", "…")))


def _ends_between(before: Word, after: Word, language: str) -> bool:
    return starts_anew(before, after) or ends_sentence(before.text, after.text, language=language)


def _shorten(words: Sequence[Word], first: int, end: int) -> Iterator[tuple[int, int]]:
    """Splits an unpunctuated stretch at its longest pause, until no piece is longer than a sentence should be."""
    waiting = [(first, end)]
    while waiting:
        first, end = waiting.pop()
        count = end - first
        chars = sum(len(word.text) + (not word.glued) for word in words[first:end])
        if count < 2 or (count <= _MOST_WORDS and chars <= _MOST_SENTENCE_CHARS):
            yield first, end
            continue
        edge = min(_FEWEST_WORDS, count // 2)
        candidates = range(first + edge, end - edge + 1) if count > 2 * edge else (first + edge,)
        middle = (first + end) / 2
        at = max(candidates, key=lambda i: (_breath(words[i - 1], words[i]), -abs(i - middle)))
        waiting += [(at, end), (first, at)]


def _breath(before: Word, after: Word) -> float:
    """How well a stretch is cut here: a pause counts by its length up to PAUSE, a comma like a short one."""
    return min(pause(before, after), PAUSE) + (0.3 if before.text.endswith((",", ":", ";", "—", "–", "、")) else 0.0)


def _grow(units: Sequence[Span], lengths: Sequence[int], begin: int, chars: int) -> int:
    """The end (exclusive) of the passage that begins at sentence `begin`."""
    total = lengths[begin]
    end = begin + 1
    while end < len(units):
        grown = total + lengths[end]
        if grown > MAX_CHARS or (grown > chars and grown - chars > chars - total):
            break
        before, after = units[end - 1].words[-1], units[end].words[0]
        if total >= chars / 3 and starts_anew(before, after):
            break
        total = grown
        end += 1
    return end


def step_back(lengths: Sequence[int], begin: int, end: int, overlap: int) -> int:
    """Where the next passage begins: `overlap` characters before `end`, but past `begin`."""
    shared = 0
    start = end
    while start - 1 > begin and shared + lengths[start - 1] <= overlap:
        start -= 1
        shared += lengths[start]
    return start
