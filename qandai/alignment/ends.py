"""Where a quote begins and ends among the said tokens, once it is known where most of it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from rapidfuzz import fuzz

from qandai.alignment.numbers import MARK
from qandai.alignment.wording import FILLERS, WEAK, Wording

Pair = tuple[int, int]
"""Place in the quote, place in the said words: the same token."""

NEAR = 24
"""Tokens of a quote before its core up to which its beginning is searched exhaustively."""
_FARTHER = 8  # said tokens that may lie there besides
# What a token at an end must outweigh to belong to the quote although something lies between it and the rest.
_SKIPPED = 0.4  # a said token that the quote leaves out
_PADDING = 0.21  # the same, for the words that speakers fill their sentences with
_REPLACED = 0.15  # a token that stands for another
_ADDED = 0.18  # a typed token that was not said: what it stands between is said without a gap
_OPENING = 0.2  # weight of a word that models put before anything
_CONTRACTED = 0.3  # weight of what is left of a word in a contraction; every other token weighs 1
_OPENINGS = frozenset("yeah okay yes oui ja ναι".split())
_PADDINGS = frozenset("yeah okay right well you know i mean like sort kind of so just really actually".split())
_LIKE = 75.0  # letters of two spellings of one word, 0 to 100


@dataclass(frozen=True, slots=True)
class Typed:
    """The tokens of a quote, and what each of them is worth as evidence of where the quote ends."""

    tokens: Sequence[str]
    weights: Sequence[float]

    @classmethod
    def of(cls, quote: Wording) -> Typed:
        weights = [1.0] * len(quote.tokens)
        for at, token in enumerate(quote.tokens):
            if at < 2 and token in _OPENINGS:
                weights[at] = _OPENING
            elif at > 0 and quote.first[at] == quote.first[at - 1] and token in WEAK:
                weights[at] = _CONTRACTED
        return cls(quote.tokens, weights)

    def __getitem__(self, part: slice) -> Typed:
        return Typed(self.tokens[part], self.weights[part])

    def __len__(self) -> int:
        return len(self.tokens)


class Said:
    """Said tokens, and what it costs to skip some of them. `words` tells of each token which word it is of."""

    def __init__(self, tokens: Sequence[str], words: Sequence[int]) -> None:
        self.tokens = tokens
        free = [
            token in FILLERS or (at > 0 and words[at] == words[at - 1])  # a word costs once
            for at, token in enumerate(tokens)
        ]
        self._free = list(accumulate(free, initial=0))
        self._padding = list(accumulate((token in _PADDINGS for token in tokens), initial=0))

    def cost(self, typed: int, first: int, after: int) -> float:
        """What it costs that the tokens from `first` to before `after` were said, and so many typed, between two
        that agree."""
        free = self._free[after] - self._free[first]
        heard = after - first - free
        if heard <= typed:
            filled = min(typed - heard, free)
            return _REPLACED * (heard + filled) + _ADDED * (typed - heard - filled)
        padding = min(heard - typed, self._padding[after] - self._padding[first])
        return _REPLACED * typed + _PADDING * padding + _SKIPPED * (heard - typed - padding)


def extended(typed: Typed, said: Said, core: Pair, pairs: Sequence[Pair], step: int) -> list[Pair]:
    """The core's end and those pairs beyond it, outwards, that are worth what is skipped to reach them."""
    kept = [core]
    gain, best, count = 0.0, 0.0, 1
    for pair in pairs:
        cost, at = _reached(typed, said, kept[-1], pair, step)
        gain += typed.weights[pair[0]] - cost
        kept.append((pair[0], at))
        if gain >= best:
            best, count = gain, len(kept)
    return kept[:count]


def _reached(typed: Typed, said: Said, end: Pair, pair: Pair, step: int) -> tuple[float, int]:
    """What it costs to go on from an end to a pair, and where its token then stands.

    The longest common subsequence does not care which "the" it takes: the one that skips least was meant.
    """
    (q, t), (place, at) = end, pair
    wanted = typed.tokens[place]
    if place == q + step and said.tokens[t + step] == wanted:  # nearly always
        return 0.0, t + step
    places = [n for n in range(t + step, at + step, step) if said.tokens[n] == wanted]
    costs = [said.cost(abs(place - q) - 1, min(t, n) + 1, max(t, n)) for n in places]
    return min(costs), places[costs.index(min(costs))]


def begun(typed: Typed, said: Said, core: Pair) -> list[Pair]:
    """The pairs before the core, outwards, that are worth most after what is skipped: the best chain of all."""
    q_core, t_core = core
    low = max(0, t_core - q_core - _FARTHER)
    chains: list[tuple[float, Pair, int]] = [(0.0, core, -1)]  # worth, first pair, the chain that it goes on with
    for place in range(q_core - 1, max(-1, q_core - 1 - NEAR), -1):
        wanted, weight = typed.tokens[place], typed.weights[place]
        found = []
        for at in range(low, t_core):
            if said.tokens[at] != wanted:
                continue
            worth, after = max(
                (worth - said.cost(q - place - 1, at + 1, t) - _apart(weight, t - at, q - place), number)
                for number, (worth, (q, t), _) in enumerate(chains)
                if t > at
            )
            found.append((worth + weight, (place, at), after))
        chains += found
    best = max(range(len(chains)), key=lambda number: (chains[number][0], number))
    pairs = []
    while best > 0:
        pairs.append(chains[best][1])
        best = chains[best][2]
    return pairs[::-1]


def _apart(weight: float, heard: int, typed: int) -> float:
    """A "yeah" before the quote is the one that was typed only where nothing was said in between."""
    return 1.0 if weight == _OPENING and heard > typed else 0.0


def respelled(quote: Sequence[str], said: Sequence[str], end: Pair, step: int) -> Pair:
    """Steps from an end over neighbours that are the same word in another spelling, or a number in another form."""
    while (found := _next_spelling(quote, said, *end, step)) is not None:
        end = found
    return end


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
