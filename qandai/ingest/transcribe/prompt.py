"""The vocabulary of a person as the prompt that a recogniser reads before it listens."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

TOKENS = 220
"""A recogniser reads the last 224 (some builds 223) tokens of a prompt and drops what stands before them."""

CHARACTERS = 896
"""From 897 on, Groq answers 400."""

_BETWEEN = ", "
_RUN = re.compile(r"[a-z]+|[A-Z]+|.", re.ASCII | re.DOTALL)


def prompt(vocabulary: Sequence[str], *, tokens: int = TOKENS, characters: int = CHARACTERS) -> str:
    """The terms that fit, cut between terms, the most important one last.

    `vocabulary` begins with the most important: those stay. They are written in reverse, because a service that
    still finds the prompt too long drops its front, and because the words before the speech weigh most.
    """
    kept: list[str] = []
    spent = length = 0
    for term in dict.fromkeys(" ".join(term.split()) for term in vocabulary):
        cost, size = tokens_at_most(term) + 1, len(term) + (len(_BETWEEN) if kept else 0)
        if not term:
            continue
        if spent + cost > tokens or length + size > characters:
            break
        kept.append(term)
        spent, length = spent + cost, length + size
    return _BETWEEN.join(reversed(kept))


def tokens_at_most(text: str) -> int:
    """A cautious count of the tokens of Whisper's byte-pair encoding, without its tables.

    Lower-case Latin letters come at least two a token, other ASCII characters one, letters of two bytes (Latin with
    accents, Greek, Cyrillic, Arabic) one, all others up to one a byte. Checked against the real encoder in the tests.
    """
    total = 0
    for run in _RUN.findall(text):
        if run.isascii():
            total += math.ceil(len(run) / 2) if run.islower() else len(run) if run != " " else 0
        else:
            size = len(run.encode())
            total += 1 if size <= 2 else size
    return total
