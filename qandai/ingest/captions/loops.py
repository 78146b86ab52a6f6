"""A recogniser that is stuck: after silence or music the same few words for minutes.

People repeat themselves too. In 680 transcripts of talks, streams and rallies nobody said the same two or more words
five times running, while single words came up to eleven times ("many many many …"); songs and slogans go further. So
a loop is a repetition beyond that which the recogniser's own figures confirm, or which keeps a machine's time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, pstdev
from typing import NamedTuple

from qandai.model import Word
from qandai.text import tokens

_LONGEST_PERIOD = 40  # words
_STEADY = 0.15  # spread of the repetitions' distances, as a share of their mean; people who chant vary more
# Repetitions from which on a row is a loop: of one word, of several.
_CONFIRMED = (12, 4)
_IN_STEADY_TIME = (20, 10)
_BY_LENGTH_ALONE = (40, 20)


class Row(NamedTuple):
    """Words `first` to `last` (inclusive) are the same `period` words again and again."""

    first: int
    last: int
    period: int

    @property
    def times(self) -> float:
        return (self.last - self.first + 1) / self.period


def loops(words: Sequence[Word], repeats: Sequence[bool]) -> list[Row]:
    """`repeats`: for each word, whether the recogniser's figures say that its segment repeats itself."""
    return [row for row in rows([tokens(word.text) for word in words]) if _is_loop(row, words, repeats)]


def rows(texts: Sequence[tuple[str, ...]]) -> list[Row]:
    """Stretches in which each three words in a row last came the same number of words ago."""
    found: list[Row] = []
    last_seen: dict[tuple[tuple[str, ...], ...], int] = {}
    period = begun = 0
    for number, three in enumerate(zip(texts, texts[1:], texts[2:], strict=False)):
        distance = number - last_seen.get(three, -_LONGEST_PERIOD - 1)
        last_seen[three] = number
        if distance == period:
            found[-1] = Row(begun - period, number + 2, period)
        elif distance <= _LONGEST_PERIOD:
            period, begun = distance, number
            found.append(Row(begun - period, number + 2, period))
        else:
            period = 0
    return found


def _is_loop(row: Row, words: Sequence[Word], repeats: Sequence[bool]) -> bool:
    kind = 0 if row.period == 1 else 1
    if row.times < _CONFIRMED[kind]:
        return False
    confirmed = sum(repeats[row.first : row.last + 1])
    if confirmed * 2 > row.last - row.first:
        return True
    if row.times >= _BY_LENGTH_ALONE[kind]:
        return True
    return row.times >= _IN_STEADY_TIME[kind] and _is_steady(row, words)


def _is_steady(row: Row, words: Sequence[Word]) -> bool:
    """Whether the repetitions come in equal time. Estimated times are equal by making, and prove nothing."""
    starts = [word.start for word in words[row.first : row.last + 1 : row.period] if word.exact]
    gaps = [after - before for before, after in pairwise(starts)]
    if len(gaps) * 2 < row.times:
        return False
    mean = fmean(gaps)
    return mean > 0 and pstdev(gaps, mean) <= _STEADY * mean
