"""Recordings cut anew at random, so that nothing in a file's layout tells where an answer begins.

In some collections the borders of segments, the flags of interpolated times and the missing stretches come from the
same hand that marked the answers. Words and their order stay; where a segment begins, which times count as measured
and where stretches are missing is dealt anew, as often and as long as before. The clock goes along, so that the
answers lie at the same words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from eval.questions import Asked, Moment
from qandai.model import Transcript, Word

HOLE = 5.0
"""Seconds without a word that count as a missing stretch."""


@dataclass(frozen=True, slots=True)
class Clock:
    """From old seconds to new ones: missing stretches (`closed`: start and end) go, others (`opened`: the second, once
    all are closed, and the length) come. Both ascending."""

    closed: tuple[tuple[float, float], ...]
    opened: tuple[tuple[float, float], ...]

    def start(self, at: float) -> float:
        """Of what begins at `at`."""
        closed = self._closed(at)
        return closed + self._before(bisect_right(self.opened, (closed, float("inf"))))

    def end(self, at: float) -> float:
        """Of what ends at `at`: a stretch that opens just there comes after it."""
        closed = self._closed(at)
        return closed + self._before(bisect_left(self.opened, (closed, 0.0)))

    def _closed(self, at: float) -> float:
        return at - sum(min(at, end) - start for start, end in self.closed if start < at)

    def _before(self, count: int) -> float:
        return sum(length for _, length in self.opened[:count])


def reborder(transcript: Transcript, *, seed: int) -> tuple[Transcript, Clock]:
    """The same words with other borders, and the clock that goes with them. Every recording gets its own dice."""
    words = transcript.words
    if len(words) < 2:
        return transcript, Clock((), ())
    rng = np.random.default_rng([seed, *transcript.video.id.encode()])
    clock = _clock(words, rng)
    segments = _sample(rng, len(words), max(1, len(transcript.segments)))
    count = sum(word.exact for word in words)
    exact = (
        set(rng.permutation(segments)[:count].tolist())
        if count <= len(segments)
        else set(_sample(rng, len(words), count))
    )
    moved = tuple(
        replace(
            word,
            start=clock.start(word.start),
            end=max(clock.start(word.start), clock.end(word.end)),
            exact=at in exact,
        )
        for at, word in enumerate(words)
    )
    length = transcript.video.duration
    video = replace(transcript.video, duration=None if length is None else clock.start(length))
    return replace(transcript, video=video, words=moved, segments=tuple(segments), gaps=()), clock


def moved(question: Asked, clocks: Mapping[str, Clock]) -> Asked:
    """The question with its answers where the new clocks put them."""
    return replace(question, moments=tuple(_moved(moment, clocks.get(moment.video_id)) for moment in question.moments))


def _moved(moment: Moment, clock: Clock | None) -> Moment:
    if clock is None:
        return moment
    return replace(
        moment, start=clock.start(moment.start), end=clock.end(moment.end), answer=clock.start(moment.answer)
    )


def _clock(words: Sequence[Word], rng: np.random.Generator) -> Clock:
    ends = list(accumulate((word.end for word in words), max))
    holes = [(ends[at - 1], words[at].start) for at in range(1, len(words)) if words[at].start - ends[at - 1] > HOLE]
    closed = Clock(tuple(holes), ())
    borders = _sample(rng, len(words) - 1, len(holes)) if holes else []
    lengths = rng.permutation([end - start for start, end in holes]).tolist()
    opened = sorted((closed.start(words[at + 1].start), length) for at, length in zip(borders, lengths, strict=True))
    return replace(closed, opened=tuple(opened))


def _sample(rng: np.random.Generator, size: int, count: int) -> list[int]:
    return sorted(rng.choice(size, min(count, size), replace=False).tolist())
