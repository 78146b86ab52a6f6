"""Which passages one answer from the whole archive is made of: many recordings rather than much of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from qandai.model import Hit
from qandai.retrieval.cut import cut

FLOOR = 0.5
GAP = 0.3
"""Shares of the best score, as `cut` takes them and as sources are cut."""


def spread(
    hits: Sequence[Hit], video_of: Callable[[Hit], str], count: int, *, floor: float = FLOOR, gap: float = GAP
) -> tuple[Hit, ...]:
    """At most `count` of the hits, which come best first and more than are wanted; best first.

    Those that tell nothing beside the best go. Then every recording gives its best, then every one its second, and
    so on: none gives more than another could, and what is left open by a short one is filled by the others.
    """
    given: Counter[str] = Counter()
    rounds: list[tuple[int, int]] = []
    telling = cut(hits, floor=floor, gap=gap)
    for place, hit in enumerate(telling):
        video = video_of(hit)
        rounds.append((given[video], place))
        given[video] += 1
    chosen = sorted(place for _, place in sorted(rounds)[: max(0, count)])
    return tuple(telling[place] for place in chosen)
