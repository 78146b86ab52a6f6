"""Where two transcripts of one recording say the same words.

Both are brought to one wording, so that numbers and contractions agree however they are written, and aligned between
runs of words that stand once in each. Agreement that the clocks contradict is an accident and does not count.
rapidfuzz aligns 10,000 words in milliseconds, where difflib without its junk rule takes a second.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from rapidfuzz.distance import Indel

from qandai.alignment.wording import Wording, wording
from qandai.model import Word

_ANCHOR = 5  # tokens in a row that stand once in each
_MOST_CELLS = 10**9  # of the table that aligning one stretch fills, a bit each
_BLOCK = 100  # runs whose clocks are compared together
_ALONE = 3  # fewer tokens in a row may agree by accident
_TOLERANCE = 10.0  # seconds between both times of a run, the clocks' difference aside: a cue lasts that long at most
_TIGHT = 4.0  # the same for a run of few tokens


class Stretch(NamedTuple):
    """Words that belong together: half-open positions in each transcript, one of them perhaps empty.

    `offset` is what to add to a written time to have the heard one, seconds.
    """

    heard: range
    written: range
    agreed: bool
    offset: float = 0.0


class _Run(NamedTuple):
    """Tokens that are equal on both sides, and how far their clocks lie apart (seconds)."""

    heard: int
    written: int
    size: int
    apart: float


def stretches(heard: Sequence[Word], written: Sequence[Word]) -> list[Stretch]:
    """Both transcripts cut into stretches, in order and whole. Written times need only be right to a few seconds."""
    left, right = wording(word.text for word in heard), wording(word.text for word in written)
    found: list[Stretch] = []
    at_heard = at_written = 0
    offset = 0.0
    for link in _links(left, right, _trusted(_runs(left, right, heard, written))):
        offset = link.offset
        if link.heard.start > at_heard or link.written.start > at_written:
            between = range(at_heard, link.heard.start), range(at_written, link.written.start)
            found.append(Stretch(*between, agreed=False, offset=offset))
        found.append(link)
        at_heard, at_written = link.heard.stop, link.written.stop
    if at_heard < len(heard) or at_written < len(written):
        rest = range(at_heard, len(heard)), range(at_written, len(written))
        found.append(Stretch(*rest, agreed=False, offset=offset))
    return found


def _runs(left: Wording, right: Wording, heard: Sequence[Word], written: Sequence[Word]) -> list[_Run]:
    """A run ends where the clocks jump: on one side something was left out there."""
    found: list[_Run] = []
    for a, b, size in _equal(left.tokens, right.tokens):
        joined = False
        for at in range(size):
            apart = heard[left.first[a + at]].start - written[right.first[b + at]].start
            if joined and abs(apart - found[-1].apart) <= _TIGHT:
                found[-1] = found[-1]._replace(size=found[-1].size + 1)
            else:
                found.append(_Run(a + at, b + at, 1, apart))
                joined = True
    return found


def _equal(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """(position in left, position in right, length) of equal tokens, ascending in both."""
    a = b = 0
    for next_a, next_b in [*_anchors(left, right), (len(left), len(right))]:
        if (next_a - a) * (next_b - b) <= _MOST_CELLS:
            for step in Indel.opcodes(left[a:next_a], right[b:next_b]):
                if step.tag == "equal":
                    yield a + step.src_start, b + step.dest_start, step.src_end - step.src_start
        a, b = next_a, next_b


def _anchors(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Ascending places of token runs that stand exactly once in each text."""
    once_left, once_right = _once(left), _once(right)
    pairs = [(at, once_right[run]) for run, at in once_left.items() if run in once_right]
    tails: list[int] = []
    chain: list[tuple[int, int]] = []  # (index of the pair, index of the one before it)
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        rank = bisect_left(tails, place)
        before.append(ends[rank - 1] if rank else -1)
        tails[rank : rank + 1] = [place]
        ends[rank : rank + 1] = [number]
    chain = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _once(tokens: Sequence[str]) -> dict[tuple[str, ...], int]:
    places: dict[tuple[str, ...], int] = {}
    for at in range(len(tokens) - _ANCHOR + 1):
        run = tuple(tokens[at : at + _ANCHOR])
        places[run] = -1 if run in places else at
    return {run: at for run, at in places.items() if at >= 0}


def _trusted(runs: Sequence[_Run]) -> list[_Run]:
    """The runs whose clocks lie as far apart as those of their neighbours, with that difference as `apart`."""
    kept: list[_Run] = []
    for start in range(0, len(runs), _BLOCK):
        around = runs[max(0, start - _BLOCK) : start + 2 * _BLOCK]
        usual = median(run.apart for run in around for _ in range(min(run.size, 20)))
        for run in runs[start : start + _BLOCK]:
            allowed = _TOLERANCE if run.size >= _ALONE else _TIGHT
            if abs(run.apart - usual) <= allowed:
                kept.append(run._replace(apart=usual))
    return kept


def _links(left: Wording, right: Wording, runs: Sequence[_Run]) -> Iterator[Stretch]:
    """The runs in words: only words that agree in all their tokens, joined where one side has more of them."""
    tokens = [(run.heard + k, run.written + k, run.apart) for run in runs for k in range(run.size)]
    whole_left = _whole(left, [a for a, _, _ in tokens])
    whole_right = _whole(right, [b for _, b, _ in tokens])
    open_link: Stretch | None = None
    for a, b, offset in tokens:
        heard = range(left.first[a], left.last[a] + 1)
        written = range(right.first[b], right.last[b] + 1)
        if not (heard.start in whole_left and written.start in whole_right):
            continue
        if open_link and (heard.start < open_link.heard.stop or written.start < open_link.written.stop):
            open_link = open_link._replace(
                heard=range(open_link.heard.start, max(open_link.heard.stop, heard.stop)),
                written=range(open_link.written.start, max(open_link.written.stop, written.stop)),
            )
            continue
        if open_link:
            yield open_link
        open_link = Stretch(heard, written, agreed=True, offset=offset)
    if open_link:
        yield open_link


def _whole(text: Wording, agreed: Sequence[int]) -> set[int]:
    """The words all of whose tokens agree."""
    missing = set(range(len(text.tokens))) - set(agreed)
    broken = {word for at in missing for word in range(text.first[at], text.last[at] + 1)}
    return {text.first[at] for at in agreed} - broken
