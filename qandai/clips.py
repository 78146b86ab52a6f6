"""From confirmed words to what is played."""

from __future__ import annotations

from qandai.align import start_of
from qandai.model import Clip, Quote


def clip(quote: Quote, *, lead: float) -> Clip:
    """The quote as it is played, with `lead` seconds taken off its start: here, and nowhere else.

    Lies within the media where their length is known; its end is never before its start.
    """
    said, exact = start_of(quote.span)
    length = quote.span.video.duration
    longest = float("inf") if length is None else max(0.0, length)
    start = min(max(0.0, said - lead), longest)
    end = min(max(quote.span.end, said), longest)
    return Clip(quote, start, max(start, end), exact)


def overlap(one: Clip, other: Clip) -> bool:
    """Whether the two play any of the same recording."""
    return one.video.id == other.video.id and one.start < other.end and other.start < one.end
