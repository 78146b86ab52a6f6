"""Where a quote lies within one haystack: verbatim, in another wording, or repaired."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from qandai.alignment.claims import SHORT, Claim, Part
from qandai.alignment.ends import Said, Typed
from qandai.alignment.haystack import Haystack, Letters
from qandai.alignment.numbers import MARK
from qandai.alignment.trace import Trace, likeness, trace
from qandai.alignment.wording import FILLERS, negations
from qandai.text import tokens

FLOOR = 60.0
"""Below this the words were not said: random windows of twelve words score 32 (median) to 43 (highest)."""
_SURE = 85.0
_ANCHOR = 12
_WINDOW = 48
_SKIPPED_WORDS = 100  # what an ellipsis may leave out
_SLACK = 4  # said tokens that may lie between those of an anchor
_PAD = 8
_MOST_PEAKS = 24
_MOST_PLACES = 40


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


def alike(part: Part, hay: Haystack, low: int = 0, high: int | None = None) -> list[Place]:
    """Every place, from word `low` to before `high`, that says the part: verbatim, else in another wording."""
    exact = [Place(first, last, 100.0, exact=True) for first, last in hay.letters.find(part.said, low, high)]
    if exact:
        return exact
    worded = hay.alike(part.wording.tokens, low, high)
    return [Place(first, last, 100.0, exact=False) for first, last in worded]


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
        return replace(one, exact=False)
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
    same = alike(part, hay, low, high)
    if same or part.is_short:
        return same
    repaired = _repaired(part, hay, low, high)
    return [] if repaired is None else [repaired]


def _repaired(part: Part, hay: Haystack, low: int, high: int) -> Place | None:
    """The place that says most of the part, from word `low` to before word `high`."""
    bounds = bisect_left(hay.wording.first, low), bisect_left(hay.wording.first, high)
    for backwards in (False, True):
        found = _best(part.typed, hay, bounds, part.scale, backwards=backwards)
        if found is None:
            continue
        if found.after >= SHORT * part.scale and not backwards:
            found = _resumed(part, hay, bounds[1], found)
        if _said(found, part.typed, part.scale):
            return _place(part, hay, found)
    return None


def _said(found: Trace, quote: Typed, scale: int) -> bool:
    """Whether so much agrees that the quote was said there: nearly all letters, or enough of them and of the words.

    A few words find something like themselves anywhere, so most of them must agree. Many words that agree by half are
    about the same thing, but others.
    """
    size = sum(token not in FILLERS for token in quote.tokens)
    share = float(np.interp(size / scale, (SHORT, _ANCHOR, 2 * _ANCHOR), (0.8, 0.5, 0.65)))
    return found.ratio >= _SURE or (found.ratio >= FLOOR and found.matched >= share * size)


def _resumed(part: Part, hay: Haystack, end: int, head: Trace) -> Trace:
    """A quote that leaves words out without saying so: its end is looked for after what was found of its start."""
    reached = len(part.typed) - head.after
    rest = part.typed[reached:]
    far = min(end, head.last + 1 + _SKIPPED_WORDS * part.scale + 2 * head.after)
    tail = _best(rest, hay, (head.last + 1, far), part.scale, backwards=True)
    said = hay.wording.tokens[head.first : head.last + 1]
    start = likeness(part.wording.tokens[:reached], said)
    if tail is None or start < FLOOR or not _said(tail, rest, part.scale):
        return head
    share = reached / len(part.typed)
    return replace(
        head,
        last=tail.last,
        matched=head.matched + tail.matched,
        ratio=share * start + (1 - share) * tail.ratio,
        after=tail.after,
    )


def _best(quote: Typed, hay: Haystack, bounds: tuple[int, int], scale: int, *, backwards: bool) -> Trace | None:
    """The quote where its first anchor (`backwards`: its last) fits best between two tokens of the haystack."""
    anchor = (quote[-_ANCHOR * scale :] if backwards else quote[: _ANCHOR * scale]).tokens
    window = quote[-_WINDOW * scale :] if backwards else quote[: _WINDOW * scale]
    said, width = hay.wording.tokens, len(anchor) + _SLACK * scale
    low, high = bounds
    repeated = len(anchor) - len(set(anchor))
    agreeing: dict[int, int] = {}
    most = 0
    for at, height in _peaks(hay.overlap(anchor, width)[low:high], width):
        if height + repeated < most - 1:  # no place from here on can agree in as many tokens
            break
        agreeing[low + at] = LCSseq.similarity(anchor, said[low + at : min(low + at + width, high)])
        most = max(most, agreeing[low + at])
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
    quote: Typed, hay: Haystack, bounds: tuple[int, int], at: int, reach: int, *, backwards: bool
) -> Trace | None:
    """The trace of a quote that starts (`backwards`: ends) at about token `at`, in tokens of the haystack."""
    room = len(quote) + len(quote) // 4 + _SLACK + _PAD
    low = max(bounds[0], at - room if backwards else at - _PAD)
    high = min(bounds[1], at + _PAD if backwards else at + room)
    said = Said(hay.wording.tokens[low:high], hay.wording.first[low:high])
    found = trace(quote, said, reach=reach, backwards=backwards)
    return None if found is None else replace(found, first=found.first + low, last=found.last + low)


def _peaks(heights: NDArray[np.float64], width: int) -> Iterator[tuple[int, float]]:
    """Places of the highest values with these, best first, each farther than half a width from those before it."""
    left = heights.copy()
    for _ in range(_MOST_PEAKS):
        at = int(left.argmax()) if len(left) else -1
        if at < 0 or left[at] <= 0:
            break
        yield at, float(left[at])
        left[max(0, at - width // 2) : at + width // 2 + 1] = 0


def _place(part: Part, hay: Haystack, found: Trace) -> Place:
    """From tokens to whole words."""
    quote, said = part.wording, hay.wording
    first = _own(part.words[quote.first[found.before]], hay, found.first, 0)
    last = _own(part.words[quote.last[len(quote.tokens) - 1 - found.after]], hay, found.last, -1)
    first = said.first[found.first] if first is None else first
    opening = quote.tokens[: found.before + 1]
    if any(token.startswith(MARK) for token in opening) and opening[0] != said.tokens[found.first]:
        first = _begun_in_number(part, hay, first)
    last = said.last[found.last] if last is None else last
    cut = (found.before > 1 and found.first == 0) or (found.after > 1 and last == len(hay.row.words) - 1)
    return Place(first, max(first, last), min(found.ratio, 100.0), exact=False, cut=cut)


def _begun_in_number(part: Part, hay: Haystack, first: int) -> int:
    """A quote that begins in the middle of a said number has read another number there: plain tokens are compared."""
    low = max(0, first - _PAD)
    said = Letters(word.text for word in hay.row.words[low : first + _PAD])
    head = part.said[:_PAD]
    found = trace(Typed(head, [1.0] * len(head)), Said(said.tokens, said.word), reach=len(head))
    return first if found is None else min(first, low + said.word[found.first])


def _own(typed: str, hay: Haystack, at: int, end: int) -> int | None:
    """Where several said words were read as one number: the one that the quote begins (`end` 0) or ends with (-1)."""
    wanted = tokens(typed)
    words = range(hay.wording.first[at], hay.wording.last[at] + 1)
    if len(words) < 2 or not wanted:
        return None
    return next((word for word in words if wanted[end] in tokens(hay.row.words[word].text)), None)
