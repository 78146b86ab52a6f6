"""A row of words made ready for searching. Built once, asked often; each half is made when it is first needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from math import log

import numpy as np
from numpy.typing import NDArray

from qandai.alignment.wording import Wording, wording
from qandai.model import Row, Span
from qandai.text import tokens

_MOST_PLACES = 1000
_SMALL = 2000  # tokens up to which one pass costs less than an index


@lru_cache(maxsize=200_000)
def _tokens(word: str) -> tuple[str, ...]:
    return tokens(word)


class Letters:
    """The folded letters of some words without the spaces between them, so that "e-mail" is "email"."""

    def __init__(self, words: Iterable[str]) -> None:
        found = [_tokens(word) for word in words]
        self.tokens: list[str] = list(chain.from_iterable(found))
        self.word: list[int] = [place for place, own in enumerate(found) for _ in own]  # token → word
        self.text = "".join(self.tokens)
        self.offsets = list(accumulate(map(len, self.tokens), initial=0))

    def find(self, wanted: Sequence[str], low: int = 0, high: int | None = None) -> list[tuple[int, int]]:
        """First and last word of every place, from word `low` to before `high`, that holds these tokens, ascending.

        Places that hold the very tokens hide those that only hold their letters ("nowhere" for "no where").
        """
        letters = "".join(wanted)
        same: list[tuple[int, int]] = []
        joined: list[tuple[int, int]] = []
        begin = self.offsets[bisect_left(self.word, low)]
        end = len(self.text) if high is None else self.offsets[bisect_left(self.word, high)]
        at = self.text.find(letters, begin, end) if letters else -1
        while at >= 0 and len(same) < _MOST_PLACES:
            first, after = bisect_left(self.offsets, at), bisect_left(self.offsets, at + len(letters))
            if self.offsets[first] == at and self.offsets[after] == at + len(letters):
                found = same if self.tokens[first:after] == list(wanted) else joined
                found.append((self.word[first], self.word[after - 1]))
            at = self.text.find(letters, at + 1, end)
        return same or joined


class Haystack:
    """The words of one row. Places are counted from the row's first word."""

    def __init__(self, row: Row) -> None:
        self.row = row

    @cached_property
    def letters(self) -> Letters:
        return Letters(word.text for word in self.row.words)

    @cached_property
    def wording(self) -> Wording:
        return wording(word.text for word in self.row.words)

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = {}
        for place, token in enumerate(self.wording.tokens):
            index.setdefault(token, []).append(place)
        return index

    def _places(self, wanted: Iterable[str]) -> dict[str, list[int]]:
        """Where each of the wanted tokens stands; those that never do are left out."""
        said = self.wording.tokens
        if len(said) > _SMALL:
            return {token: self._index[token] for token in wanted if token in self._index}
        places: dict[str, list[int]] = {token: [] for token in wanted}
        for place, token in enumerate(said):
            if token in places:
                places[token].append(place)
        return {token: found for token, found in places.items() if found}

    def span(self, first: int, last: int) -> Span:
        return self.row.span(self.row.offset + first, self.row.offset + last)

    def alike(self, wanted: Sequence[str], low: int = 0, high: int | None = None) -> list[tuple[int, int]]:
        """First and last word of every place, from word `low` to before `high`, with this wording, ascending."""
        said, size = self.wording, len(wanted)
        after = len(self.row.words) if high is None else high
        found = [
            (said.first[at], said.last[at + size - 1])
            for at in self._places(wanted[:1]).get(wanted[0] if wanted else "", ())
            if said.tokens[at : at + size] == list(wanted)
        ]
        return [(first, last) for first, last in found if low <= first and last < after][:_MOST_PLACES]

    def overlap(self, wanted: Iterable[str], width: int) -> NDArray[np.float64]:
        """For each token of the row, how many of the wanted tokens the `width` tokens from there hold.

        Each counts once, and a rare one up to half a token more: it tells the right place from a busy one.
        """
        size = len(self.wording.tokens)
        found = list(self._places(dict.fromkeys(wanted)).values())
        if not found:
            return np.zeros(size)
        places = np.fromiter(chain.from_iterable(found), dtype=np.intp)
        counts = np.array([len(own) for own in found])
        weights = np.repeat(1.5 - 0.5 * np.log(counts) / log(size + 1), counts)
        # A place is lit from `width - 1` before each occurrence, once where two occurrences are close.
        after_previous = np.concatenate(((0,), places[:-1] + 1))
        after_previous[np.cumsum(counts)[:-1]] = 0
        lit = np.maximum(places - width + 1, after_previous)
        steps = np.bincount(lit, weights, size + 1) - np.bincount(places + 1, weights, size + 1)
        return np.cumsum(steps[:size])
