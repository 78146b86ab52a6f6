"""Whether a piece came back whole: what sounds in it, against the words that were heard."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from qandai.model import Word

LEAST_SHARE = 0.7
"""Of the sound in a piece: with less of it near a word, half the speech may be missing (music does the same)."""

LEAST_WORDS_A_MINUTE = 50.0
"""Of sound. People speak 100 to 200; a reply of a few words and a farewell has five."""

HOLE = 8.0
"""Seconds of sound without a word from which on something is missing: nobody draws a breath that loud."""

LONG_HOLE = 30.0
"""The same, from which on the stretch is named even in a piece that is otherwise whole."""

_SHORTEST = 5.0  # seconds of sound below which nothing is concluded
_WORD = 2.0  # seconds; recognisers stretch the word before a hole over it


@dataclass(frozen=True, slots=True)
class Coverage:
    """Seconds of sound in a stretch; of it, those in holes; the holes (start, end) with the sound in each."""

    sound: float
    missing: float
    words_a_minute: float
    holes: tuple[tuple[float, float, float], ...]

    @property
    def largest(self) -> float:
        return max((sounding for _, _, sounding in self.holes), default=0.0)

    @property
    def is_whole(self) -> bool:
        if self.sound < _SHORTEST:
            return True
        return self.missing <= (1 - LEAST_SHARE) * self.sound and self.words_a_minute >= LEAST_WORDS_A_MINUTE

    def untranscribed(self) -> tuple[tuple[float, float], ...]:
        """The stretches to be named as such."""
        least = LONG_HOLE if self.is_whole else 0.0
        return tuple((start, end) for start, end, sounding in self.holes if sounding >= least)


class Loudness:
    """Sums of sound between any two seconds of a recording."""

    def __init__(self, silences: Sequence[tuple[float, float]]) -> None:
        self._starts = [start for start, _ in silences]
        self._ends = [end for _, end in silences]
        self._before = [0.0]  # silence in all silences before number i
        for start, end in silences:
            self._before.append(self._before[-1] + end - start)

    def between(self, start: float, end: float) -> float:
        """Seconds of sound from `start` to `end`."""
        return max(0.0, (end - start) - (self._silence_until(end) - self._silence_until(start)))

    def _silence_until(self, at: float) -> float:
        number = bisect_right(self._starts, at)
        if number == 0:
            return 0.0
        return self._before[number - 1] + min(at, self._ends[number - 1]) - self._starts[number - 1]


def coverage(words: Sequence[Word], start: float, end: float, loudness: Loudness, *, hole: float = HOLE) -> Coverage:
    """Of the stretch from `start` to `end`; `words` are those heard in it, in order; `hole` is the sound that makes
    one."""
    edges = [start]
    for word in words:
        edges += [word.start, min(word.end, word.start + _WORD)]
    edges.append(end)
    holes: list[tuple[float, float, float]] = []
    for left, right in zip(edges[::2], edges[1::2], strict=True):
        sounding = loudness.between(left, right) if right - left >= hole else 0.0
        if sounding >= hole:
            holes.append((left, right, sounding))
    sound = loudness.between(start, end)
    spoken = sum(0.5 if word.glued else 1.0 for word in words)
    return Coverage(
        sound=sound,
        missing=sum(sounding for _, _, sounding in holes),
        words_a_minute=60 * spoken / sound if sound else 0.0,
        holes=tuple(holes),
    )
