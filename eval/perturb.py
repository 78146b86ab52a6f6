"""What a model does to a passage when it quotes it, one fault at a time.

A perturbation gets the said words and gives the typed ones, each with the place of the said word it stands for (None:
it was never said), so that the gold start, the first said word that the quote still holds, is known by construction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from eval.spelling import DIGITS, SPELLED

Typed = tuple[str, int | None]
_SHARE = 0.1
_FILLERS = (
    ("you", "know"),
    ("i", "mean"),
    ("sort", "of"),
    ("kind", "of"),
    ("um",),
    ("uh",),
    ("er",),
    ("ah",),
    ("like",),
)
_OPENED = {
    "it's": "it is", "that's": "that is", "there's": "there is", "what's": "what is", "he's": "he is",
    "she's": "she is", "i'm": "I am", "we're": "we are", "you're": "you are", "they're": "they are",
    "i've": "I have", "we've": "we have", "you've": "you have", "they've": "they have", "i'll": "I will",
    "we'll": "we will", "you'll": "you will", "i'd": "I would", "don't": "do not", "doesn't": "does not",
    "didn't": "did not", "isn't": "is not", "aren't": "are not", "wasn't": "was not", "can't": "cannot",
    "won't": "will not", "wouldn't": "would not", "couldn't": "could not", "shouldn't": "should not",
    "haven't": "have not", "gonna": "going to", "wanna": "want to", "let's": "let us",
}  # fmt: skip
_CLOSED = {tuple(full.lower().split()): short for short, full in _OPENED.items() if " " in full}


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote as typed. `first` is the place among the said words of the first that the quote still holds."""

    text: str
    first: int


Perturbation = Callable[[list[Typed], Random, Sequence[str]], list[Typed]]
"""(said words with their places, randomness, the recording's vocabulary) → typed words."""


def quoted(perturbation: str, words: Sequence[str], rng: Random, vocabulary: Sequence[str]) -> Quoted:
    typed = PERTURBATIONS[perturbation]([(word, place) for place, word in enumerate(words)], rng, vocabulary)
    return Quoted(" ".join(text for text, _ in typed), next(place for _, place in typed if place is not None))


def _verbatim(said: list[Typed], _rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    return said


def _punctuated(said: list[Typed], rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    typed: list[Typed] = []
    opens, left = True, rng.randint(5, 14)
    for text, place in said:
        bare = text.strip(".,?!;:")
        left -= 1
        mark = rng.choice(".?!") if left == 0 else "," if rng.random() < 0.1 else ""
        typed.append(((bare[:1].upper() + bare[1:] if opens else bare) + mark, place))
        opens = left == 0
        left = left or rng.randint(5, 14)
    return typed


def _without_fillers(said: list[Typed], _rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    typed: list[Typed] = []
    at = 0
    while at < len(said):
        ahead = tuple(_bare(text) for text, _ in said[at : at + 2])
        size = next((len(filler) for filler in _FILLERS if ahead[: len(filler)] == filler), 0)
        typed += said[at : at + 1] if size == 0 else []
        at += size or 1
    return typed or said


def _chosen(said: list[Typed], rng: Random) -> set[int]:
    return set(rng.sample(range(len(said)), max(1, round(_SHARE * len(said)))))


def _replaced(said: list[Typed], rng: Random, vocabulary: Sequence[str]) -> list[Typed]:
    chosen = _chosen(said, rng)
    return [(rng.choice(vocabulary), None) if at in chosen else word for at, word in enumerate(said)]


def _dropped(said: list[Typed], rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    chosen = _chosen(said, rng)
    return [word for at, word in enumerate(said) if at not in chosen]


def _added(said: list[Typed], rng: Random, vocabulary: Sequence[str]) -> list[Typed]:
    chosen = _chosen(said, rng)
    return [
        typed
        for at, word in enumerate(said)
        for typed in ([(rng.choice(vocabulary), None), word] if at in chosen else [word])
    ]


def _opened(said: list[Typed], _rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    return [(full, place) for text, place in said for full in _OPENED.get(_bare(text).replace("’", "'"), text).split()]


def _closed(said: list[Typed], _rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    typed: list[Typed] = []
    at = 0
    while at < len(said):
        pair = tuple(_bare(text) for text, _ in said[at : at + 2])
        short = _CLOSED.get(pair)
        typed.append(said[at] if short is None else (short, said[at][1]))
        at += 1 if short is None else 2
    return typed


def _as_digits(said: list[Typed], _rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    typed: list[Typed] = []
    at = 0
    while at < len(said):
        size = next((n for n in (4, 3, 2, 1) if _key(said[at : at + n]) in DIGITS), 0)
        typed.append((DIGITS[_key(said[at : at + size])], said[at][1]) if size else said[at])
        at += size or 1
    return typed


def _as_words(said: list[Typed], _rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    return [(word, place) for text, place in said for word in SPELLED.get(_bare(text), text).split()]


def _typographic(said: list[Typed], rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    typed: list[Typed] = [(text.replace("'", "’").replace("-", "\u2011"), place) for text, place in said]
    at = rng.randrange(len(typed))
    typed[at] = (f"“{typed[at][0]}”", typed[at][1])
    if len(typed) > 3:
        at = rng.randrange(1, len(typed) - 1)
        typed[at] = (f"{typed[at][0]}\u202f—", typed[at][1])
    return typed


def _opening(said: list[Typed], rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    return [(rng.choice(("Yeah.", "Okay.")), None), *said]


def _ellipsis(said: list[Typed], rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    first = rng.randint(5, max(5, len(said) // 2 - 2))
    last = rng.randint(5, max(5, len(said) // 2 - 2))
    return [*said[:first], (rng.choice(("…", "...")), None), *said[len(said) - last :]]


def _first_cut(said: list[Typed], rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    return said[rng.randint(1, 5) :]


def _last_cut(said: list[Typed], rng: Random, _vocabulary: Sequence[str]) -> list[Typed]:
    return said[: -rng.randint(1, 5)]


def _bare(text: str) -> str:
    return re.sub(r"[^\w'’,.-]", "", text.lower()).strip(".,-")


def _key(said: Sequence[Typed]) -> str:
    return " ".join(_bare(text) for text, _ in said)


PERTURBATIONS: dict[str, Perturbation] = {
    "verbatim": _verbatim,
    "punctuated": _punctuated,
    "fillers_dropped": _without_fillers,
    "replaced": _replaced,
    "dropped": _dropped,
    "added": _added,
    "contractions_opened": _opened,
    "contractions_closed": _closed,
    "digits": _as_digits,
    "spelled": _as_words,
    "typographic": _typographic,
    "opening": _opening,
    "ellipsis": _ellipsis,
    "first_cut": _first_cut,
    "last_cut": _last_cut,
}
