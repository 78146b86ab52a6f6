"""Where somebody says a question again: a streamer reads it aloud, and the sentence it begins in has no border.

Captions without punctuation are cut where they are long enough, so the question may begin in the middle of a
"sentence". The words that the question shares with what was said show where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qandai.model import Word
from qandai.text import tokens

_FOREIGN = 0.5  # what all words of a question together lose, spread over them, is what one foreign word costs


@dataclass(frozen=True, slots=True)
class Echo:
    """Words `first` to `last` (inclusive places) are said much as the question asks; `share` is what they gather
    of the question's words, by what they tell, less what the words between cost."""

    first: int
    last: int
    share: float


def echo(words: Sequence[Word], terms: Mapping[str, float]) -> Echo | None:
    """The stretch that gathers most (Bentley 1984, maximum subarray), the earliest of equals; None if there is none."""
    total = sum(terms.values())
    if not total:
        return None
    cost = _FOREIGN / len(terms)
    best: Echo | None = None
    gathered, first = 0.0, 0
    for place, word in enumerate(words):
        if gathered <= 0:
            gathered, first = 0.0, place
        shared = [terms[token] for token in tokens(word.text) if token in terms]
        gathered += sum(shared) / total if shared else -cost
        if gathered > 0 and (best is None or gathered > best.share + 1e-9):
            best = Echo(first, place, gathered)
    return best
