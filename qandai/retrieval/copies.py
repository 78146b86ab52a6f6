"""Moments heard twice: in a recording that was published twice, or whose captions repeat themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TypeVar

from qandai.text import tokens

Item = TypeVar("Item")
Pairs = set[tuple[str, str]]

FEWEST_WORDS = 8
"""What is shorter is no copy though it is the same: "Yes, exactly." answers another question each time."""


def distinct(
    ranked: Iterable[Item], text: Callable[[Item], str], following: Callable[[Item], str], *, alike: float
) -> Iterator[Item]:
    """Those that no better one says already. Reads no more of `ranked` than is taken.

    Two are copies if what each says and what each goes on to say are alike: a host asks everybody the same, in the same
    words, and hears other answers. `following` is empty where a recording ends. Texts are alike from the share `alike`
    of the pairs of neighbouring words in either of them that both have (Broder 1997).
    """
    kept: list[tuple[Item, Pairs]] = []
    heard: Pairs = set()  # in any that was kept: what is a copy of one has most of its pairs here
    for item in ranked:
        pairs = _pairs(text(item), fewest=FEWEST_WORDS)
        if pairs and len(pairs & heard) >= alike * len(pairs):
            near = [other for other, those in kept if _alike(pairs, those, alike)]
            if near and any(_go_on_alike(following(item), following(other), alike) for other in near):
                continue
        heard |= pairs
        kept.append((item, pairs))
        yield item


def _alike(these: Pairs, those: Pairs, alike: float) -> bool:
    return len(these & those) >= alike * len(these | those)


def _go_on_alike(one: str, other: str, alike: float) -> bool:
    """Where one recording ends, the passages alone decide."""
    these, those = _pairs(one), _pairs(other)
    return not these or not those or _alike(these, those, alike)


def _pairs(text: str, *, fewest: int = 2) -> Pairs:
    words = tokens(text)
    return set(pairwise(words)) if len(words) >= fewest else set()
