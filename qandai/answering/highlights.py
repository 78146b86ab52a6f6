"""The best clips from different recordings: what stands beside an answer, and for a text where none is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from qandai.clips import overlap
from qandai.model import Clip

MOST = 5


def highlights(clips: Sequence[Clip], *, count: int = MOST) -> tuple[Clip, ...]:
    """At most `count` of the clips, which come best first, dealt out as `apart` does."""
    return apart(clips)[: max(0, count)]


def apart(clips: Sequence[Clip], *, beside: Clip | None = None) -> tuple[Clip, ...]:
    """The best clip of each recording, then the second of each, and so on. They come best first; none plays what a
    better one plays, or what `beside` does."""
    taken = [beside] if beside else []
    given: Counter[str] = Counter()
    rounds: list[tuple[int, Clip]] = []
    for candidate in clips:
        if not any(overlap(candidate, other) for other in taken):
            rounds.append((given[candidate.video.id], candidate))
            given[candidate.video.id] += 1
            taken.append(candidate)
    return tuple(clip for _, clip in sorted(rounds, key=lambda entry: entry[0]))
