"""A clip drawn as its words, for the bar that shows where the player is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qandai.links import timestamp
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


@dataclass(frozen=True, slots=True)
class Ruler:
    """What lies between two seconds; `moment` is a stretch of it that is marked."""

    start: float
    end: float
    until: str
    ticks: tuple[Tick, ...]
    moment: Tick | None = None


def ruler(words: Sequence[Word], start: float, end: float, moment: tuple[float, float] | None = None) -> Ruler:
    """Bars as wide as words last and as tall as they are long; where there are too many, as much is said."""
    length = max(0.01, end - start)
    within = [word for word in words if word.end > start and word.start < end]
    draw = _words if len(within) <= MOST_TICKS else _density
    marked = None
    if moment:
        left, right = ((min(end, max(start, time)) - start) / length * RULER_WIDTH for time in moment)
        marked = _tick(left, max(4.0, right - left), RULER_HEIGHT)
    return Ruler(round(start, 2), round(end, 2), timestamp(end), draw(within, start, length), marked)


def _words(words: Sequence[Word], start: float, length: float) -> tuple[Tick, ...]:
    scale = RULER_WIDTH / length
    ticks = []
    for word in words:
        left = max(0.0, (word.start - start) * scale)
        right = min(float(RULER_WIDTH), (word.end - start) * scale)
        height = RULER_HEIGHT * (0.25 + 0.75 * min(1.0, len(word.text) / 10))
        ticks.append(_tick(left, max(2.0, right - left - 2), height))
    return tuple(ticks)


def _density(words: Sequence[Word], start: float, length: float) -> tuple[Tick, ...]:
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
