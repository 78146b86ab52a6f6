"""Where a list of passages stops telling anything: a clear winner is not followed by noise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from qandai.model import Hit


def cut(hits: Sequence[Hit], *, floor: float, gap: float) -> Sequence[Hit]:
    """The hits, best first, down to the share `floor` of the best score, and of these those before the widest gap
    between two neighbours, if it is as wide as the share `gap` of the best score.

    Without such a gap the question is a broad one and many belong. All are kept where the best score is not above 0,
    which is what a passage scores that has nothing to do with the question: no share of that means anything.
    """
    scale = hits[0].score if hits else 0.0
    if scale <= 0:
        return hits
    telling = [hit for hit in hits if hit.score >= floor * scale]
    gaps = [better.score - worse.score for better, worse in pairwise(telling)]
    widest = max(gaps, default=0.0)
    return telling[: gaps.index(widest) + 1] if gaps and widest >= gap * scale else telling
