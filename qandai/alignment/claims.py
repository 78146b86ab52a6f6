"""A quote as somebody typed it: a claim, until its words are found."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qandai.alignment.ends import Typed
from qandai.alignment.wording import Wording, wording
from qandai.text import UNSPACED, tokens

SHORT = 5
"""Words below which a quote is said in so many places that finding it says little."""
_ELLIPSIS = re.compile(r"…|\.{3,}|\.(?:\s\.){2,}")
_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a quote that was said in one piece. `said` are its folded tokens; `scale` is 2 where a token is
    only a character, so that every length in words is doubled."""

    words: tuple[str, ...]
    said: tuple[str, ...]
    wording: Wording
    typed: Typed
    scale: int

    @classmethod
    def read(cls, text: str) -> Part:
        words, said = tuple(text.split()), tokens(text)
        unspaced = sum(_UNSPACED.match(token) is not None for token in said)
        own = wording(words)
        return cls(words, said, own, Typed.of(own), 2 if 2 * unspaced > len(said) else 1)

    @property
    def is_short(self) -> bool:
        return len(self.said) < SHORT * self.scale


@dataclass(frozen=True, slots=True)
class Claim:
    """A quote as it was typed: the whole of it, and the parts between its ellipses."""

    whole: Part
    parts: tuple[Part, ...]

    @classmethod
    def read(cls, quote: str) -> Claim:
        parts = tuple(Part.read(text) for text in _ELLIPSIS.split(quote))
        return cls(Part.read(_ELLIPSIS.sub(" ", quote)), tuple(part for part in parts if part.said))
