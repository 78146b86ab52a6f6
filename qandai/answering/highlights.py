"""What stands for a written answer where no model writes one: the best clips, from different recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from qandai.clips import overlap
from qandai.model import Clip

MOST = 5


def highlights(clips: Sequence[Clip], *, count: int = MOST) -> tuple[Clip, ...]:
    """The best clip of each recording, then the second of each, and so on, at most `count`. They come best first;
    none plays what a better one plays."""
    taken: list[Clip] = []
    given: Counter[str] = Counter()
    rounds: list[tuple[int, int]] = []
    for candidate in clips:
        if not any(overlap(candidate, other) for other in taken):
            rounds.append((given[candidate.video.id], len(taken)))
            given[candidate.video.id] += 1
            taken.append(candidate)
    return tuple(taken[place] for _, place in sorted(rounds)[: max(0, count)])
