"""A clip drawn as its words, for the bar that shows where the player is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qandai.model import Word

MOST_TICKS = 160
RULER_WIDTH, RULER_HEIGHT = 1000, 40


@dataclass(frozen=True, slots=True)
class Tick:
    """A word, or where there are too many a stretch, as a bar of the ruler (its SVG units)."""

    x: float
    y: float
    width: float
    height: float


def ruler(words: Sequence[Word], start: float, end: float) -> tuple[Tick, ...]:
    """The clip drawn as its words: as wide as they last, as tall as they are long."""
    length = end - start
    within = [word for word in words if word.end > start and word.start < end]
    if length <= 0 or not within:
        return ()
    scale = RULER_WIDTH / length
    if len(within) > MOST_TICKS:
        return _density(within, start, length)
    ticks = []
    for word in within:
        left = max(0.0, (word.start - start) * scale)
        right = min(float(RULER_WIDTH), (word.end - start) * scale)
        height = RULER_HEIGHT * (0.25 + 0.75 * min(1.0, len(word.text) / 10))
        ticks.append(_tick(left, max(2.0, right - left - 2), height))
    return tuple(ticks)


def _density(words: Sequence[Word], start: float, length: float) -> tuple[Tick, ...]:
    """Too many words for bars of their own: bars as tall as much is said in their stretch."""
    letters = [0] * MOST_TICKS
    for word in words:
        place = int((max(start, word.start) - start) / length * MOST_TICKS)
        letters[min(MOST_TICKS - 1, place)] += len(word.text)
    most = max(letters)
    width = RULER_WIDTH / MOST_TICKS
    return tuple(
        _tick(place * width, width - 2, RULER_HEIGHT * (0.08 + 0.92 * count / most))
        for place, count in enumerate(letters)
    )


def _tick(x: float, width: float, height: float) -> Tick:
    return Tick(round(x, 1), round((RULER_HEIGHT - height) / 2, 1), round(width, 1), round(height, 1))
