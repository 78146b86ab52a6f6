"""Questions as they come from hasty fingers: one slip in the rarest word of each."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from qandai.text import tokens

_WORD = re.compile(r"[^\W\d_]{5,}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def said(texts: Iterable[str]) -> Mapping[str, int]:
    """How often each folded word is said."""
    return Counter(word for text in texts for word in tokens(text))


def slipped(question: str, said: Mapping[str, int], *, seed: str) -> str:
    """With a letter dropped, doubled, changed or swapped with the next, never the first, in that word of five letters
    or more that is said least, though it is said. As it is where there is none."""
    rare = [(said[folded[0]], found) for found in _WORD.finditer(question) if (folded := _folded(found[0], said))]
    if not rare:
        return question
    chance = random.Random(f"{seed} {question}")
    found = min(rare, key=lambda each: each[0])[1]
    slip = chance.choice(_SLIPS)
    return question[: found.start()] + slip(found[0], chance) + question[found.end() :]


def _folded(word: str, said: Mapping[str, int]) -> tuple[str, ...]:
    folded = tokens(word)
    return folded if len(folded) == 1 and said.get(folded[0]) else ()


def _place(word: str, chance: random.Random) -> int:
    return chance.randrange(1, len(word) - 1)


def _dropped(word: str, chance: random.Random) -> str:
    at = _place(word, chance)
    return word[:at] + word[at + 1 :]


def _doubled(word: str, chance: random.Random) -> str:
    at = _place(word, chance)
    return word[: at + 1] + word[at:]


def _changed(word: str, chance: random.Random) -> str:
    at = _place(word, chance)
    return word[:at] + chance.choice(_LETTERS.replace(word[at].lower(), "")) + word[at + 1 :]


def _swapped(word: str, chance: random.Random) -> str:
    at = _place(word, chance)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


_SLIPS: tuple[Callable[[str, random.Random], str], ...] = (_dropped, _doubled, _changed, _swapped)
