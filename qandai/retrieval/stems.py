"""Words of one family brought together, for keyword evidence beside the exact words and never instead of them."""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = ("ings", "ing", "edly", "ed", "es", "s", "ly", "er")
_SHORTEST = 3


@lru_cache(maxsize=200_000)
def stem(word: str, language: str = "en") -> str:
    """English loses its commonest endings (in the manner of Harman 1991); other languages keep their words."""
    if language != "en":
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)]
    return word
