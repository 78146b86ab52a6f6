"""Times that run backwards, past the end of the recording, or say the same word twice at once."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from qandai.errors import TranscriptError
from qandai.model import Word
from qandai.text import tokens
from qandai.words import SECONDS_A_WORD, spread

TOLERANCE = 1.0
"""Seconds. A smaller step backwards is clamped; behind a larger one the word's time is no measurement at all."""

_REFUSED = 0.2  # share of words out of order from which on no time of the file can be trusted
_LONGEST_DOUBLE = 8  # words that two overlapping pieces both heard
_SAME_MOMENT = 0.3  # seconds between the two hearings


def retimed(words: Sequence[Word]) -> tuple[list[Word], Counter[str]]:
    """The same words: starts never decrease, ends lie between a word's start and the next one's.

    What had to move is an estimate from then on. Raises TranscriptError if more than a fifth is out of order.
    """
    repairs: Counter[str] = Counter()
    straight = list(words)
    if any(after.start < before.start for before, after in pairwise(words)):
        straight, repairs = _straightened(words)
    found: list[Word] = []
    last = len(straight) - 1
    for number, word in enumerate(straight):
        end = word.end
        if end < word.start:
            repairs["ends before starts"] += 1
            end = word.start + SECONDS_A_WORD if number == last else straight[number + 1].start
            end = min(end, word.start + SECONDS_A_WORD)
        if number < last:
            end = min(end, straight[number + 1].start)
        found.append(word if end == word.end else _at(word, word.start, end, word.exact))
    return found, repairs


def _straightened(words: Sequence[Word]) -> tuple[list[Word], Counter[str]]:
    trusted = _rising([word.start for word in words])
    bounds = _bounds(words, trusted)
    strays = [
        number
        for number, (word, (low, high)) in enumerate(zip(words, bounds, strict=True))
        if number not in trusted and not low - TOLERANCE <= word.start <= high + TOLERANCE
    ]
    if len(strays) > 5 and len(strays) > _REFUSED * len(words):
        raise TranscriptError(
            f"the times of {len(strays)} of {len(words)} words run backwards.", hint="Transcribe the recording again."
        )
    found = list(words)
    for number, word in enumerate(words):
        if number not in trusted:
            low, high = bounds[number]
            start = min(max(word.start, low), high)
            found[number] = _at(word, start, max(start, word.end), False)
    for first, last in _rows(strays):
        left = found[first - 1].end if first else 0.0
        right = found[last + 1].start if last + 1 < len(found) else None
        left = left if right is None else min(max(left, found[first - 1].start if first else 0.0), right)
        times = spread([word.text for word in words[first : last + 1]], left, right)
        for number, (start, end) in enumerate(times, start=first):
            found[number] = _at(words[number], start, end, False)
    for number, word in enumerate(found[1:]):
        if word.start < found[number].start:  # two clamped ones side by side
            found[number + 1] = _at(word, found[number].start, max(found[number].start, word.end), False)
    return found, Counter({"backward steps": len(words) - len(trusted)})


def _rising(starts: Sequence[float]) -> set[int]:
    """Positions of a longest subsequence of starts that never decreases."""
    tails: list[float] = []
    places: list[int] = []
    before: list[int] = []
    for number, start in enumerate(starts):
        rank = bisect_right(tails, start)
        before.append(places[rank - 1] if rank else -1)
        tails[rank : rank + 1] = [start]
        places[rank : rank + 1] = [number]
    chain: set[int] = set()
    place = places[-1] if places else -1
    while place >= 0:
        chain.add(place)
        place = before[place]
    return chain


def _bounds(words: Sequence[Word], trusted: set[int]) -> list[tuple[float, float]]:
    """For each word the starts of the trusted words around it (of itself, if it is one)."""
    lows: list[float] = []
    low = 0.0
    for number, word in enumerate(words):
        low = word.start if number in trusted else low
        lows.append(low)
    highs: list[float] = []
    high = float("inf")
    for number in range(len(words) - 1, -1, -1):
        high = words[number].start if number in trusted else high
        highs.append(high)
    return list(zip(lows, reversed(highs), strict=True))


def _rows(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers, as (first, last)."""
    rows: list[tuple[int, int]] = []
    for number in numbers:
        if rows and rows[-1][1] == number - 1:
            rows[-1] = (rows[-1][0], number)
        else:
            rows.append((number, number))
    return rows


def doubled(words: Sequence[Word]) -> set[int]:
    """Positions of words that two overlapping pieces both heard: the same text at the same moment.

    Time decides, not text: who says "no no no" says each at its own time. Only measured times count.
    """
    overlaps = [
        number
        for number, (before, word) in enumerate(pairwise(words), start=1)
        if word.start <= before.start or word.start < before.end - 0.01
    ]
    drop: set[int] = set()
    for number in overlaps:
        if number not in drop and words[number].exact:
            drop.update(range(number, number + _double_at(words, number)))
    return drop


def _double_at(words: Sequence[Word], number: int) -> int:
    """How many words from position `number` on repeat those before it at the same time; 0 if none."""
    for size in range(min(_LONGEST_DOUBLE, number, len(words) - number), 0, -1):
        pairs = zip(words[number - size : number], words[number : number + size], strict=True)
        if all(
            abs(b.start - a.start) <= _SAME_MOMENT and a.exact and tokens(a.text) == tokens(b.text) for a, b in pairs
        ):
            return size
    return 0


def within(words: Sequence[Word], duration: float) -> tuple[list[Word], int]:
    """The words that start before the recording ends, none lasting past it, and how many were dropped."""
    if not words or (words[-1].start < duration and all(word.end <= duration for word in words)):
        return list(words), 0
    kept = [
        word if word.end <= duration else _at(word, word.start, duration, word.exact)
        for word in words
        if word.start < duration
    ]
    return kept, len(words) - len(kept)


def _at(word: Word, start: float, end: float, exact: bool) -> Word:
    return Word(word.text, start, end, exact, word.turn, word.speaker, word.glued)
