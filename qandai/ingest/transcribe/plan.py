"""Where a long recording is cut: in a silence near every tenth minute, with an overlap where there is none."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from qandai.errors import UsageError
from qandai.hearing import AudioFormat, Sound

SECONDS = 600.0
"""Aimed at between two cuts."""

OVERLAP = 10.0
"""Seconds that two pieces share where they are cut in the middle of speech. Recognisers often drop the broken sentence
at the end of a piece, and stumble over the one at its start."""

_REACH = 0.05  # of SECONDS, to either side: where a silence is looked for
_TAIL = 0.2  # of SECONDS: a shorter rest stays with the piece before it
_LONGEST = 1 + _REACH + _TAIL
_SHORTEST = 20.0  # seconds between two cuts, below which a service's limit is no use
# At 16 kHz: flac never exceeds the samples themselves, opus at 32 kbit/s has a variable rate and its container.
BYTES_A_SECOND: dict[AudioFormat, float] = {"flac": 32_100.0, "opus": 5_500.0}
_HEADER = 16_384


@dataclass(frozen=True, slots=True)
class Piece:
    """`start` to `end` is sent, in seconds of the recording. What was said from `since` to `until` belongs to this
    piece; these are its ends, but for the halves of the overlaps."""

    start: float
    end: float
    since: float
    until: float

    @property
    def duration(self) -> float:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Sizing:
    """How pieces are written, and how far apart they are cut, in seconds."""

    form: AudioFormat
    seconds: float


def sizing(max_bytes: int | None, *, seconds: float = SECONDS) -> Sizing:
    """Pieces of `seconds` that hold their sound exactly, where they fit; else compressed; else shorter ones.

    Raises UsageError for a limit that no useful piece keeps.
    """
    if max_bytes is None:
        return Sizing("flac", seconds)
    room: dict[AudioFormat, float] = {
        form: ((max_bytes - _HEADER) / rate - OVERLAP) / _LONGEST for form, rate in BYTES_A_SECOND.items()
    }
    if room["flac"] >= seconds:
        return Sizing("flac", seconds)
    if room["opus"] < min(_SHORTEST, seconds):
        raise UsageError(
            f"The transcriber takes {max_bytes:,} bytes at once, which is not even {_SHORTEST:g} seconds of speech.",
            hint="Raise QANDAI_TRANSCRIBER_MAX_MB.",
        )
    return Sizing("opus", min(seconds, room["opus"]))


def plan(
    sound: Sound, seconds: float = SECONDS, *, quietest: Callable[[float, float], float] | None = None
) -> tuple[Piece, ...]:
    """Pieces that cover the recording from 0 to its end, none longer than 1.25 × `seconds` and an overlap.

    `quietest` finds the best moment between two where no silence is in reach; without it, that is the middle.
    """
    if sound.duration <= 0:
        return ()
    reach = _REACH * seconds
    cuts: list[tuple[float, float]] = []  # when, and how much is shared around it
    target = seconds
    while sound.duration - target > _TAIL * seconds:
        at = _silence_near(sound.silences, target, reach)
        if at is None:
            at = (
                target
                if quietest is None
                else min(max(quietest(target - reach, target + reach), target - reach), target + reach)
            )
            cuts.append((round(at, 3), min(OVERLAP, seconds / 4)))
        else:
            cuts.append((round(at, 3), 0.0))
        target += seconds
    return _between(0.0, sound.duration, cuts)


def halves(piece: Piece, silences: Sequence[tuple[float, float]]) -> tuple[Piece, ...]:
    """The piece as two, cut at the silence nearest to its middle within a quarter of it, else with an overlap."""
    middle = (piece.start + piece.end) / 2
    at = _silence_near(silences, middle, piece.duration / 4)
    cut = (round(middle, 3), min(OVERLAP, piece.duration / 4)) if at is None else (round(at, 3), 0.0)
    first, second = _between(piece.start, piece.end, [cut])
    return (
        Piece(first.start, first.end, piece.since, first.until),
        Piece(second.start, second.end, second.since, piece.until),
    )


def _between(start: float, end: float, cuts: Sequence[tuple[float, float]]) -> tuple[Piece, ...]:
    edges = [(start, 0.0), *cuts, (end, 0.0)]
    return tuple(
        Piece(
            round(max(start, at - shared / 2), 3),
            round(min(end, following + shared_after / 2), 3),
            at,
            following,
        )
        for (at, shared), (following, shared_after) in pairwise(edges)
    )


def _silence_near(silences: Sequence[tuple[float, float]], target: float, reach: float) -> float | None:
    """The middle of the silence that is nearest to `target`, if it lies within `reach`."""
    middles = [(start + end) / 2 for start, end in silences]  # ascending, as the silences are
    place = bisect_left(middles, target)
    near = [middle for middle in middles[max(0, place - 1) : place + 1] if abs(middle - target) <= reach]
    return min(near, key=lambda middle: abs(middle - target), default=None)
