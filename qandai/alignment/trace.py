"""Word-by-word comparison of a quote with the words around a place: where exactly it starts and ends there.

A window that is shifted by one word looks nearly as good as the right one (it scores about 91 of 100), so the ends are
not taken from windows but from single words that agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from qandai.alignment.ends import NEAR, Pair, Said, Typed, begun, extended, respelled
from qandai.alignment.wording import FILLERS


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
    """`first` and `last` place among the said tokens, `matched` tokens that agree (fillers do not count), `ratio` of
    letters that agree (0 to 100), and how many tokens of the quote lie before and after what was found."""

    first: int
    last: int
    matched: int
    ratio: float
    before: int
    after: int


def trace(typed: Typed, said: Said, *, reach: int, backwards: bool = False) -> Trace | None:
    """Where the quote lies among the said tokens; None where no token agrees.

    The longest run of equal tokens that begins within the quote's first `reach` tokens (`backwards`: ends within its
    last) is taken for granted, and extended both ways as long as what is gained outweighs what is skipped.
    """
    quote = typed.tokens
    blocks = _gathered(quote, said.tokens)
    if backwards:
        eligible = [block for block in blocks if block.quote + block.size > len(quote) - reach]
    else:
        eligible = [block for block in blocks if block.quote < reach]
    if not eligible:
        return None
    core = max(eligible, key=lambda block: block.size)
    left = [pair for block in blocks if block.quote < core.quote for pair in block.pairs]
    right = [pair for block in blocks if block.quote > core.quote for pair in block.pairs]
    before = core.pairs[:1] if core.quote <= NEAR else extended(typed, said, core.pairs[0], left[::-1], -1)
    before += begun(typed, said, before[-1])
    after = extended(typed, said, core.pairs[-1], right, 1)
    q_first, first = respelled(quote, said.tokens, before[-1], -1)
    q_last, last = respelled(quote, said.tokens, after[-1], 1)
    return Trace(
        first=first,
        last=last,
        matched=sum(quote[place] not in FILLERS for place, _ in (*before[1:], *core.pairs, *after[1:])),
        ratio=likeness(quote, said.tokens[first : last + 1]),
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
