"""What "the same word" means, for keyword search, alignment and evaluation alike. Never for display."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_APOSTROPHES = "'’‘ʼ′`´＇"
TO_APOSTROPHE = str.maketrans(dict.fromkeys(_APOSTROPHES, "'"))
_INNER_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
# 120,000 · 120.000 · 120'000 · 120 000 with a no-break space: one number, however it is typeset.
_DIGIT_SEPARATOR = re.compile(r"(?<=\d)[.,'](?=\d)")
_DIGIT_SPACE = re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")  # white space: goes before words are split
# Scripts written without spaces: one token a character. Kana, Han, Thai, Lao, Khmer, Myanmar.
UNSPACED = (
    r"\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# A word keeps the combining marks that folding leaves on it (Indic vowel signs, Arabic points).
MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_TOKEN = re.compile(rf"[{UNSPACED}][\u3099\u309a]?|(?:(?![{UNSPACED}])[^\W_][{MARKS}]*)+")
_PLAIN = re.compile(r"[a-z]+\Z")


def fold(text: str) -> str:
    """One comparison form: case, accents (Latin, Greek, Cyrillic), final sigma, typographic quotes, dashes,
    zero-width and direction marks, and separators inside numbers no longer tell two texts apart.

    Case goes before decomposition, because Turkish İ folds to i and a combining dot, and after it again, because a
    mathematical 𝔍 decomposes to J.
    """
    text = _DIGIT_SEPARATOR.sub("", _DIGIT_SPACE.sub("", text.translate(TO_APOSTROPHE)))
    decomposed = unicodedata.normalize("NFKD", text.casefold()).casefold().translate(TO_APOSTROPHE)
    kept: list[str] = []
    bare = False  # whether the last base letter belongs to a script whose marks are dropped
    for char in decomposed:
        category = unicodedata.category(char)
        if category == "Cf":
            continue
        if category == "Mn":
            if not bare:
                kept.append(char)
            continue
        bare = char < "\u0530" or "\u1e00" <= char < "\u2000"
        kept.append(" " if category == "Pd" or char in "/_" else char)
    folded = unicodedata.normalize("NFC", "".join(kept))
    return _INNER_APOSTROPHE.sub("", folded.replace("ς", "σ"))


def word_places(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end, as it is written; an apostrophe or a dash parts two."""
    return [found.span() for found in _TOKEN.finditer(text)]


@lru_cache(maxsize=200_000)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(fold(text)))


def tokens(text: str) -> tuple[str, ...]:
    """Folded words of a text, in order; a character each in scripts written without spaces.

    Speech repeats its words, so single words are remembered: tokenising an archive costs one look-up a word.
    """
    if _PLAIN.match(text):
        return (text,)
    found: list[str] = []
    if not text.isascii():
        text = _DIGIT_SPACE.sub("", text)
    for chunk in text.split():
        found.extend(_tokens(chunk))
    return tuple(found)
