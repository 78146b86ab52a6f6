"""Slips of the fingers in a question, put right from the archive's own words: they would hide the word that matters.

One slip in the rarest word of each question costs .04 to .10 of hit@1, and .00 to .06 when it is put right. Questions
as they were asked are found as before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from rapidfuzz import process
from rapidfuzz.distance import OSA

from qandai.text import MARKS, tokens

_WORD = re.compile(rf"(?:[^\W\d_][{MARKS}]*)+")
_SHORTEST = 5  # letters; shorter words have too many neighbours
_LONG = 9  # letters from which two slips are forgiven
_LOOKED_AT = 20  # of the nearest words, for the one that is said most


class Spelling:
    """Built once from the words of an archive, with how many passages hold each. Immutable; threads share it."""

    def __init__(self, said: Mapping[str, int]) -> None:
        self._said = said
        self._by_letter: dict[str, list[str]] = {}
        for word in said:
            if len(word) >= _SHORTEST - 1:
                self._by_letter.setdefault(word[0], []).append(word)

    def put_right(self, text: str, is_word: Callable[[str], bool]) -> str:
        """The text with each word that nobody said, and that is none by `is_word`, as the nearest that was said: with
        the same first letter, which is hardly ever mistyped, one letter away or two in a long word. Accents that are
        characters of their own are joined to their letters first.
        """
        return _WORD.sub(lambda found: self._meant(found.group(), is_word), unicodedata.normalize("NFC", text))

    def _meant(self, word: str, is_word: Callable[[str], bool]) -> str:
        folded = tokens(word)
        if len(folded) != 1 or len(folded[0]) < _SHORTEST or folded[0] in self._said:
            return word
        if is_word(word) or is_word(word.lower()):
            return word
        near = process.extract(
            folded[0],
            self._by_letter.get(folded[0][0], ()),
            scorer=OSA.distance,
            score_cutoff=1 if len(folded[0]) < _LONG else 2,
            limit=_LOOKED_AT,
        )
        return min(near, key=lambda each: (each[1], -self._said[each[0]], each[0]))[0] if near else word
