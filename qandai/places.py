"""Where a quote lies within one haystack: verbatim, in another wording, or repaired."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from qandai.haystack import Haystack
from qandai.text import UNSPACED, tokens
from qandai.trace import Trace, likeness, trace
from qandai.wording import negations, wording

FLOOR = 60.0
"""Below this the words were not said: random windows of twelve words score 32 (median) to 43 (highest)."""
_ANCHOR = 12
_WINDOW = 48
_SHORT = 5
_SKIPPED_WORDS = 100  # what an ellipsis may leave out
_SLACK = 4  # said tokens that may lie between those of an anchor
_PAD = 8
_MOST_PEAKS = 24
_MOST_PLACES = 40
_ELLIPSIS = re.compile(r"…|\.{3,}|\.(?:\s\.){2,}")
_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a quote that was said in one piece. `said` are its folded tokens, `worded` its wording;
    `scale` is 2 where a token is only a character, so that every length in words is doubled."""

    words: tuple[str, ...]
    said: tuple[str, ...]
    worded: tuple[str, ...]
    scale: int

    @classmethod
    def read(cls, text: str) -> Part:
        words, said = tuple(text.split()), tokens(text)
        unspaced = sum(_UNSPACED.match(token) is not None for token in said)
        return cls(words, said, tuple(wording(words).tokens), 2 if 2 * unspaced > len(said) else 1)

    @property
    def is_short(self) -> bool:
        """Whether it is said in so many places that finding it says little."""
        return len(self.said) < _SHORT * self.scale


@dataclass(frozen=True, slots=True)
class Claim:
    """A quote as it was typed: the whole of it, and the parts between its ellipses."""

    whole: Part
    parts: tuple[Part, ...]

    @classmethod
    def read(cls, quote: str) -> Claim:
        parts = tuple(Part.read(text) for text in _ELLIPSIS.split(quote))
        return cls(Part.read(_ELLIPSIS.sub(" ", quote)), tuple(part for part in parts if part.said))


@dataclass(frozen=True, slots=True)
class Place:
    """First and last word in a haystack, `score` 0 to 100, and whether the words were typed as they were said.

    `cut`: the quote seems to run over an end of the haystack.
    """

    first: int
    last: int
    score: float
    exact: bool
    cut: bool = False


def alike(part: Part, hay: Haystack) -> list[Place]:
    """Every place that says the part: verbatim, or where nothing is, in another wording."""
    exact = [Place(first, last, 100.0, exact=True) for first, last in hay.letters.find(part.said)]
    return exact or [Place(first, last, 100.0, exact=False) for first, last in hay.alike(part.worded)]


def locate(claim: Claim, hay: Haystack) -> Place | None:
    """The best place of the quote, the earliest among equals; None where it was not said."""
    whole = alike(claim.whole, hay)
    if whole:
        return whole[0]
    if len(claim.parts) > 1:
        return _spanning(claim.parts, hay)
    return _repaired(claim.whole, hay, 0, len(hay.row.words))


def _spanning(parts: Sequence[Part], hay: Haystack) -> Place | None:
    """From the first part to the last, which must follow it closely. Where the words between them say no and the
    quote leaves that out, it would say the opposite: then the first part stands alone."""
    first, last = parts[0], parts[-1]
    allowed = _SKIPPED_WORDS + sum(len(part.words) for part in parts[1:-1])
    pairs = [
        (one, other)
        for one, other in _pairs(first, last, allowed, hay)
        if one.last < other.first <= one.last + 1 + allowed
    ]
    if not pairs:
        return None
    one, other = max(pairs, key=lambda pair: (pair[0].score + pair[1].score, pair[0].last - pair[1].first))
    skipped = [word.text for word in hay.row.words[one.last + 1 : other.first]]
    if negations(skipped) > sum(negations(part.words) for part in parts[1:-1]):
        return one
    share = len(first.said) / (len(first.said) + len(last.said))
    return Place(one.first, other.last, share * one.score + (1 - share) * other.score, exact=False)


def _pairs(first: Part, last: Part, allowed: int, hay: Haystack) -> list[tuple[Place, Place]]:
    """Places of both parts: the longer one is looked for everywhere, the other one beside it."""
    size = len(hay.row.words)
    pairs = []
    if len(first.said) >= len(last.said):
        for one in _within(first, hay, 0, size)[:_MOST_PLACES]:
            beside = _within(last, hay, one.last + 1, min(size, one.last + 1 + allowed + 2 * len(last.words)))
            pairs += [(one, other) for other in beside[:1]]
    else:
        for other in _within(last, hay, 0, size)[:_MOST_PLACES]:
            beside = _within(first, hay, max(0, other.first - allowed - 2 * len(first.words)), other.first)
            pairs += [(one, other) for one in beside[-1:]]
    return pairs


def _within(part: Part, hay: Haystack, low: int, high: int) -> list[Place]:
    """Places between two words; of a part that must be repaired only the best."""
    same = [place for place in alike(part, hay) if low <= place.first and place.last < high]
    if same or part.is_short:
        return same
    repaired = _repaired(part, hay, low, high)
    return [] if repaired is None else [repaired]


def _repaired(part: Part, hay: Haystack, low: int, high: int) -> Place | None:
    """The place that says most of the part, from word `low` to before word `high`."""
    bounds = bisect_left(hay.wording.first, low), bisect_left(hay.wording.first, high)
    for backwards in (False, True):
        found = _best(part.worded, hay, bounds, part.scale, backwards=backwards)
        if found is None:
            continue
        if found.after >= _SHORT * part.scale and not backwards:
            found = _resumed(part, hay, bounds[1], found)
        if found.ratio >= FLOOR and found.matched >= _needed(len(part.worded), part.scale):
            return _place(part, hay, found)
    return None


def _needed(size: int, scale: int) -> float:
    """Tokens that must agree. Few words find something like themselves anywhere, so most of them must."""
    words = size / scale
    return size * min(0.8, max(0.5, 0.8 - 0.3 * (words - _SHORT) / (_ANCHOR - _SHORT)))


def _resumed(part: Part, hay: Haystack, end: int, head: Trace) -> Trace:
    """A quote that leaves words out without saying so: its end is looked for after what was found of its start."""
    reached = len(part.worded) - head.after
    far = min(end, head.last + 1 + _SKIPPED_WORDS * part.scale + 2 * head.after)
    tail = _best(part.worded[reached:], hay, (head.last + 1, far), part.scale, backwards=True)
    said = hay.wording.tokens[head.first : head.last + 1]
    start = likeness(part.worded[:reached], said)
    if tail is None or min(start, tail.ratio) < FLOOR or tail.matched < _needed(head.after, part.scale):
        return head
    share = reached / len(part.worded)
    return replace(
        head,
        last=tail.last,
        matched=head.matched + tail.matched,
        ratio=share * start + (1 - share) * tail.ratio,
        after=tail.after,
    )


def _best(quote: Sequence[str], hay: Haystack, bounds: tuple[int, int], scale: int, *, backwards: bool) -> Trace | None:
    """The quote where its first anchor (`backwards`: its last) fits best between two tokens of the haystack."""
    anchor = quote[-_ANCHOR * scale :] if backwards else quote[: _ANCHOR * scale]
    window = quote[-_WINDOW * scale :] if backwards else quote[: _WINDOW * scale]
    said, width = hay.wording.tokens, len(anchor) + _SLACK * scale
    low, high = bounds
    peaks = _peaks(hay.overlap(anchor, width)[low:high], width)
    agreeing = {low + at: LCSseq.similarity(anchor, said[low + at : min(low + at + width, high)]) for at in peaks}
    most = max(agreeing.values(), default=0)
    best: Trace | None = None
    at_best = 0
    for at in sorted(at for at, count in agreeing.items() if count and count >= most - 1):
        found = _traced(window, hay, bounds, at + width if backwards else at, len(anchor), backwards=backwards)
        if found is not None and (best is None or found.ratio > best.ratio):
            best, at_best = found, at
    if best is None or len(window) == len(quote):
        return best
    return _traced(quote, hay, bounds, at_best + width if backwards else at_best, len(anchor), backwards=backwards)


def _traced(
    quote: Sequence[str], hay: Haystack, bounds: tuple[int, int], at: int, reach: int, *, backwards: bool
) -> Trace | None:
    """The trace of a quote that starts (`backwards`: ends) at about token `at`, in tokens of the haystack."""
    room = len(quote) + len(quote) // 4 + _SLACK + _PAD
    low = max(bounds[0], at - room if backwards else at - _PAD)
    high = min(bounds[1], at + _PAD if backwards else at + room)
    found = trace(quote, hay.wording.tokens[low:high], reach=reach, backwards=backwards)
    return None if found is None else replace(found, first=found.first + low, last=found.last + low)


def _peaks(heights: NDArray[np.float64], width: int) -> list[int]:
    """Places of the highest values, best first, each farther than half a width from those before it."""
    if not len(heights):
        return []
    some = min(len(heights), 16 * _MOST_PEAKS)
    highest = np.argpartition(heights, -some)[-some:] if some < len(heights) else np.arange(len(heights))
    chosen: list[int] = []
    for at in highest[np.lexsort((highest, -heights[highest]))].tolist():
        if all(abs(at - other) > width // 2 for other in chosen):
            chosen.append(at)
            if len(chosen) == _MOST_PEAKS:
                break
    return chosen


def _place(part: Part, hay: Haystack, found: Trace) -> Place:
    first = _own(part.said[0], hay, found.first, default=hay.wording.first[found.first])
    last = _own(part.said[-1], hay, found.last, default=hay.wording.last[found.last])
    cut = (found.before > 1 and found.first == 0) or (found.after > 1 and last == len(hay.row.words) - 1)
    return Place(first, max(first, last), min(found.ratio, 100.0), exact=False, cut=cut)


def _own(token: str, hay: Haystack, at: int, *, default: int) -> int:
    """The word that is this token where several words were read as one number; else the default."""
    words = range(hay.wording.first[at], hay.wording.last[at] + 1)
    return next((word for word in words if len(words) > 1 and token in tokens(hay.row.words[word].text)), default)
