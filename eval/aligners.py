"""Four ways to find a quote, side by side: ours, and three that systems of this kind are built with.

Each gets a quote and a prepared text and gives the word where the quote starts, or None for "not said".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from rapidfuzz import fuzz

from qandai.align import align
from qandai.alignment.haystack import Haystack
from qandai.model import Row
from qandai.text import tokens

_FLOOR = 60.0


class Text:
    """A row as each aligner wants it, made when first wanted: a text that is asked again is prepared once."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.hay = Haystack(row)

    @cached_property
    def _spaced(self) -> tuple[str, list[int], list[int], list[str]]:
        """Folded text, offset of each token in it, word of each token, and the tokens."""
        offsets, words, found = [], [], []
        length = 0
        for place, word in enumerate(self.row.words):
            for token in tokens(word.text):
                offsets.append(length)
                words.append(place)
                found.append(token)
                length += len(token) + 1
        return " ".join(found), offsets, words, found

    @property
    def text(self) -> str:
        return self._spaced[0]

    @property
    def tokens(self) -> list[str]:
        return self._spaced[3]

    def word_at(self, offset: int) -> int:
        _, offsets, words, _ = self._spaced
        return words[max(0, bisect_right(offsets, offset) - 1)]

    def word_of(self, token: int) -> int:
        return self._spaced[2][token]

    @cached_property
    def matcher(self) -> SequenceMatcher[str]:
        matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
        matcher.set_seq2(self.tokens)
        return matcher


@dataclass(frozen=True, slots=True)
class Found:
    """The words found, places in the row, inclusive."""

    first: int
    last: int


Aligner = Callable[[str, Text], Found | None]


def ours(quote: str, text: Text) -> Found | None:
    found = align(quote, [text.hay])
    if found is None:
        return None
    return Found(found.span.first - text.row.offset, found.span.last - text.row.offset)


def first_sentence(quote: str, text: Text) -> Found | None:
    """The quote's first sentence at its earliest occurrence."""
    sentence = tokens(re.split(r"(?<=[.!?…])\s", quote, maxsplit=1)[0])
    at = f" {text.text} ".find(f" {' '.join(sentence)} ") if sentence else -1
    if at < 0:
        return None
    return Found(text.word_at(at), text.word_at(at + sum(map(len, sentence)) + len(sentence) - 2))


def rapidfuzz(quote: str, text: Text) -> Found | None:
    found = fuzz.partial_ratio_alignment(" ".join(tokens(quote)), text.text, score_cutoff=_FLOOR)
    if found is None:
        return None
    return Found(text.word_at(found.dest_start), text.word_at(max(found.dest_start, found.dest_end - 1)))


def difflib(quote: str, text: Text) -> Found | None:
    """The longest run of equal words, drawn out to the length of the quote."""
    wanted = tokens(quote)
    text.matcher.set_seq1(wanted)
    longest = text.matcher.find_longest_match()
    first = max(0, longest.b - longest.a)
    window = text.tokens[first : first + len(wanted)]
    if not window or 100 * SequenceMatcher(None, wanted, window, autojunk=False).ratio() < _FLOOR:
        return None
    return Found(text.word_of(first), text.word_of(first + len(window) - 1))


ALIGNERS: dict[str, Aligner] = {
    "ours": ours,
    "first_sentence": first_sentence,
    "rapidfuzz": rapidfuzz,
    "difflib": difflib,
}
