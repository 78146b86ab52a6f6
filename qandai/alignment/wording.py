"""Words brought to one wording, so that a quote is found though it was written otherwise than it was transcribed.

Coarser than `text.tokens`, and only for alignment: contractions are open, is/has/'s and the other weak forms are one
word, numbers are one token however they are said. Never for display, never for deciding that a quote is verbatim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from qandai.alignment.numbers import numbers
from qandai.text import TO_APOSTROPHE, fold
from qandai.text import tokens as folded

_CONTRACTED = re.compile(r"(?<=\w)(?<!\blet)'(?=(?:s|re|ve|ll|d|m)\b)")
_SIGNS = str.maketrans({"&": " and ", "%": " percent ", "@": " at ", "+": " plus ", "=": " equals "})
# What is said weakly in a contraction is one word in all its full forms too: "it's" was "it is" or "it has".
_WEAK = {
    **dict.fromkeys(("is", "has"), "s"),
    **dict.fromkeys(("would", "had"), "d"),
    **dict.fromkeys(("will", "shall"), "ll"),
    "am": "m",
    "are": "re",
    "have": "ve",
    "not": "nt",
    "them": "em",
    "ok": "okay",
    "yep": "yeah",
    "yup": "yeah",
    "cause": "because",
    "cuz": "because",
    "dr": "doctor",
    "mr": "mister",
    "vs": "versus",
    "til": "until",
    "till": "until",
}
_NEGATED = "do does did is are was were has have had would could should must need might".split()
_OPEN = {
    **{f"{verb}nt": (_WEAK.get(verb, verb), "nt") for verb in _NEGATED},
    "cant": ("can", "nt"),
    "cannot": ("can", "nt"),
    "wont": ("ll", "nt"),
    "shant": ("ll", "nt"),
    "im": ("i", "m"),
    "ive": ("i", "ve"),
    "lets": ("let", "us"),
    **{f"{who}{weak}": (who, weak) for who in ("you", "they") for weak in ("re", "ve", "ll", "d")},
    "weve": ("we", "ve"),
    **{f"{what}s": (what, "s") for what in "it he she that what there here who where how".split()},
    "gonna": ("going", "to"),
    "wanna": ("want", "to"),
    "gotta": ("got", "to"),
    "kinda": ("kind", "of"),
    "sorta": ("sort", "of"),
    "lemme": ("let", "me"),
    "gimme": ("give", "me"),
    "dunno": ("do", "nt", "know"),
    "percent": ("per", "cent"),
    "alright": ("all", "right"),
    "etc": ("et", "cetera"),
}
FILLERS = frozenset(
    fold(word) for word in "um uh uhm umm uhh er erm ah eh oh hm hmm mm mhm äh ähm öh euh heu εε εμ".split()
)
"""Sounds that a transcript keeps and a quote leaves out, or the other way round."""
WEAK = frozenset(("s", "d", "ll", "m", "re", "ve", "nt"))
"""What is left of a word in a contraction: it hardly tells where a quote begins."""
NEGATIONS = frozenset(
    fold(word)
    for word in (
        "nt no not never none nothing nobody nowhere neither nor without cannot hardly "
        "ne pas jamais rien aucun aucune personne sans ni non "
        "δεν δε μην μη όχι ποτέ κανείς κανένας καμία κανένα τίποτα τίποτε χωρίς ούτε μήτε "
        "nicht nichts nie niemals niemand kein keine keinen keinem keiner keines ohne weder nein "
        "nunca jamás nada nadie ningún ninguno ninguna sin tampoco"
    ).split()
)
"""Words that turn a sentence round: left out of a quote they reverse it. English, French, Greek, German, Spanish."""
_ELIDED_NEGATION = re.compile(r"n'(?=\w)")


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of some words. `first` and `last` are, token by token, the places of the words it came from."""

    tokens: list[str]
    first: list[int]
    last: list[int]


@lru_cache(maxsize=200_000)
def _worded(word: str) -> tuple[str, ...]:
    apart = _CONTRACTED.sub(" ", word.translate(TO_APOSTROPHE).casefold())
    found: list[str] = []
    for token in folded(apart.translate(_SIGNS)):
        found.extend(_OPEN.get(token) or (_WEAK.get(token, token),))
    return tuple(found)


def wording(words: Iterable[str]) -> Wording:
    """The wording of words that hold no white space; one word yields none, one or several tokens."""
    each = [_worded(word) for word in words]
    found = list(chain.from_iterable(each))
    at = [place for place, own in enumerate(each) for _ in own]
    tokens: list[str] = []
    first: list[int] = []
    last: list[int] = []
    after = 0
    for number, begin, end in numbers(found):
        tokens += [*found[after:begin], number]
        first += at[after : begin + 1]
        last += [*at[after:begin], at[end]]
        after = end + 1
    return Wording(tokens + found[after:], first + at[after:], last + at[after:])


def negations(words: Sequence[str]) -> int:
    """How many of the words say no."""
    elided = sum(_ELIDED_NEGATION.match(word.translate(TO_APOSTROPHE).casefold()) is not None for word in words)
    return elided + sum(token in NEGATIONS for token in wording(words).tokens)
