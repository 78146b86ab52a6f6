"""Word-by-word comparison of a quote with the words around a place: where exactly it starts and ends there.

A window that is shifted by one word looks nearly as good as the right one (it scores about 91 of 100), so the ends are
not taken from windows but from single words that agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from qandai.numbers import MARK
from qandai.wording import FILLERS

Pair = tuple[int, int]
"""Place in the quote, place in the said words: the same token."""

# What a token at an end must outweigh to belong to the quote although something lies between it and the rest.
_SKIPPED = 0.4  # a said token that the quote leaves out, or the other way round
_PADDING = 0.15  # the same, for the words that speakers fill their sentences with
_PADDINGS = frozenset("you know i mean like sort kind of so well just really basically actually".split())
_REPLACED = 0.15  # a token that stands for another
_OPENING = 0.3  # weight of a word that models put before anything; every other word weighs 1
_OPENINGS = frozenset("yeah okay yes well right oui alors ja bueno ναι".split())
_LIKE = 75.0  # letters of two spellings of one word, 0 to 100


@dataclass(frozen=True, slots=True)
class _Block:
    """A run of equal tokens: its place in the quote, its place in what was said, its length."""

    quote: int
    said: int
    size: int

    @property
    def pairs(self) -> list[Pair]:
        return [(self.quote + n, self.said + n) for n in range(self.size)]


@dataclass(frozen=True, slots=True)
class Trace:
    """`first` and `last` place among the said tokens, `matched` tokens that agree, `ratio` of letters that agree
    (0 to 100), and how many tokens of the quote lie before and after what was found."""

    first: int
    last: int
    matched: int
    ratio: float
    before: int
    after: int


def trace(quote: Sequence[str], said: Sequence[str], *, reach: int, backwards: bool = False) -> Trace | None:
    """Where the quote lies among the said tokens; None where no token agrees.

    The longest run of equal tokens that begins within the quote's first `reach` tokens (`backwards`: ends within its
    last) is taken for granted, and extended both ways as long as what is gained outweighs what is skipped.
    """
    blocks = _gathered(quote, said)
    if backwards:
        eligible = [block for block in blocks if block.quote + block.size > len(quote) - reach]
    else:
        eligible = [block for block in blocks if block.quote < reach]
    if not eligible:
        return None
    core = max(eligible, key=lambda block: block.size)
    left = [pair for block in blocks if block.quote < core.quote for pair in block.pairs]
    right = [pair for block in blocks if block.quote > core.quote for pair in block.pairs]
    before = _extended(quote, said, core.pairs[0], left[::-1], -1)
    after = _extended(quote, said, core.pairs[-1], right, 1)
    q_first, first = _respelled(quote, said, *before[-1], -1)
    q_last, last = _respelled(quote, said, *after[-1], 1)
    return Trace(
        first=first,
        last=last,
        matched=core.size + len(before) + len(after) - 2,
        ratio=likeness(quote, said[first : last + 1]),
        before=q_first,
        after=len(quote) - 1 - q_last,
    )


def _gathered(quote: Sequence[str], said: Sequence[str]) -> list[_Block]:
    """The runs of equal tokens in order, each as near to the longest one as it occurs: "you know" that is said twice
    before the rest of the quote belongs to the second time."""
    blocks = [_Block(*block) for block in LCSseq.editops(quote, said).as_matching_blocks() if block.size]
    if not blocks:
        return blocks
    longest = max(range(len(blocks)), key=lambda number: blocks[number].size)
    for number in range(longest - 1, -1, -1):
        block = blocks[number]
        latest = blocks[number + 1].said - block.size
        blocks[number] = _moved(block, said, range(latest, block.said, -1))
    for number in range(longest + 1, len(blocks)):
        earliest = blocks[number - 1].said + blocks[number - 1].size
        blocks[number] = _moved(blocks[number], said, range(earliest, blocks[number].said))
    return blocks


def _moved(block: _Block, said: Sequence[str], places: Iterable[int]) -> _Block:
    run = said[block.said : block.said + block.size]
    return next((replace(block, said=at) for at in places if said[at : at + block.size] == run), block)


def likeness(quote: Sequence[str], said: Sequence[str]) -> float:
    """Share of letters in common, 0 to 100; fillers do not count."""
    return fuzz.ratio(
        " ".join(token for token in quote if token not in FILLERS),
        " ".join(token for token in said if token not in FILLERS),
    )


def _extended(quote: Sequence[str], said: Sequence[str], core: Pair, pairs: Sequence[Pair], step: int) -> list[Pair]:
    """The core's end and the pairs beyond it, outwards, that are worth what is skipped to reach them."""
    kept = [core]
    gain, best, count = 0.0, 0.0, 1
    for place, at in pairs:
        q, t = kept[-1]
        # The longest common subsequence does not care which "the" it takes; the nearest one was meant.
        near = next((n for n in range(t + step, at, step) if said[n] == quote[place]), at)
        typed = abs(place - q) - 1
        between = [said[n] for n in range(t + step, near, step) if said[n] not in FILLERS]
        gain += _OPENING if quote[place] in _OPENINGS and place < 2 else 1.0
        gain -= _REPLACED * min(len(between), typed) + _skipping(between, typed)
        kept.append((place, near))
        if gain >= best:
            best, count = gain, len(kept)
    return kept[:count]


def _skipping(heard: Sequence[str], typed: int) -> float:
    """What it costs that so many more words were said, or typed, between two that agree."""
    if len(heard) <= typed:
        return _SKIPPED * (typed - len(heard))
    padding = sum(token in _PADDINGS for token in heard)
    skipped = len(heard) - typed
    return _PADDING * min(padding, skipped) + _SKIPPED * max(0, skipped - padding)


def _respelled(quote: Sequence[str], said: Sequence[str], q: int, t: int, step: int) -> Pair:
    """Steps over neighbours that are the same word in another spelling, or a number in another form."""
    while (found := _next_spelling(quote, said, q, t, step)) is not None:
        q, t = found
    return q, t


def _next_spelling(quote: Sequence[str], said: Sequence[str], q: int, t: int, step: int) -> Pair | None:
    typed = _beyond(quote, q, step, 3)
    heard = _beyond(said, t, step, 4)
    if not typed or not heard:
        return None
    if typed[0].startswith(MARK) and heard[0].startswith(MARK):
        numbers = next((n for n, token in enumerate(heard) if not token.startswith(MARK)), len(heard))
        typed_numbers = next((n for n, token in enumerate(typed) if not token.startswith(MARK)), len(typed))
        return q + step * typed_numbers, t + step * numbers
    best, found = _LIKE, None
    for m in range(1, len(typed) + 1):
        one = "".join(typed[:m][::step])
        for n in range(1, len(heard) + 1):
            other = "".join(heard[:n][::step])
            same = 100.0 if m == n == 1 and _cut(one, other, step) else fuzz.ratio(one, other)
            if min(len(one), len(other)) > 2 and same >= best:
                best, found = same + 0.001, (q + step * m, t + step * n)
    return found


def _beyond(tokens: Sequence[str], place: int, step: int, count: int) -> Sequence[str]:
    """Up to `count` tokens next to `place`, outwards."""
    if step < 0:
        return tokens[max(place - count, 0) : place][::-1]
    return tokens[place + 1 : place + 1 + count]


def _cut(typed: str, heard: str, step: int) -> bool:
    """Whether a quote that was cut in the middle of a word leaves this of it."""
    return heard.endswith(typed) if step < 0 else heard.startswith(typed)
