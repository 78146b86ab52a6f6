"""Moments heard twice: in a recording that was published twice, or whose captions repeat themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
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
    kept: list[Item] = []
    sizes: list[int] = []  # pairs in each that was kept
    holders: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for item in ranked:
        pairs = _pairs(text(item), fewest=FEWEST_WORDS)
        shared = Counter(holder for pair in pairs for holder in holders.get(pair, ()))
        near = [kept[at] for at, count in shared.items() if count >= alike * (len(pairs) + sizes[at] - count)]
        if near and any(_go_on_alike(following(item), following(other), alike) for other in near):
            continue
        for pair in pairs:
            holders[pair].append(len(kept))
        kept.append(item)
        sizes.append(len(pairs))
        yield item


def _go_on_alike(one: str, other: str, alike: float) -> bool:
    """Where one recording ends, the passages alone decide."""
    these, those = _pairs(one), _pairs(other)
    return not these or not those or len(these & those) >= alike * len(these | those)


def _pairs(text: str, *, fewest: int = 2) -> Pairs:
    words = tokens(text)
    return set(pairwise(words)) if len(words) >= fewest else set()
