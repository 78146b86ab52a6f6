"""The selector that needs no key: the recording's own sentences, weighed."""

from __future__ import annotations

from collections.abc import Sequence

from qandai.answering.moments import Rules, moments
from qandai.answering.turns import Speech
from qandai.model import Excerpt, Question, Span


class ExtractiveSelector:
    """Says "they never said" when no excerpt comes near the question. Immutable; threads share it.

    `floor`: the confidence below which a question counts as never answered.
    """

    def __init__(self, *, floor: float, speech: Speech | None = None, rules: Rules | None = None) -> None:
        self._floor = floor
        self._speech = speech or Speech()
        self._rules = rules or Rules()

    def select(self, question: Question, excerpts: Sequence[Excerpt]) -> tuple[Span, ...]:
        """One span for each excerpt, the likeliest answer first."""
        if confidence(excerpts) < self._floor:
            return ()
        return tuple(moment.span for moment in moments(excerpts, self._speech, self._rules))


def confidence(excerpts: Sequence[Excerpt]) -> float:
    """How near the nearest passage comes to the question: a cosine, less what the size of the archive explains."""
    return max((excerpt.hit.cosine - excerpt.hit.chance for excerpt in excerpts), default=-1.0)
