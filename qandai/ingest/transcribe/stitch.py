"""Pieces joined: each spoken word once, in order of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from qandai.ingest.captions import order
from qandai.ingest.transcribe.plan import Piece
from qandai.ingest.transcribe.take import Take
from qandai.model import Word
from qandai.text import tokens
from qandai.words import joins

SAME_WORD = 1.0
"""Seconds between two hearings of one spoken word. Recognisers place the first word of a piece up to 0.3 s early."""


@dataclass(frozen=True, slots=True)
class Stitched:
    """`segments` are positions of each segment's first word."""

    words: tuple[Word, ...]
    segments: tuple[int, ...]
    repairs: Counter[str]


def stitch(takes: Sequence[Take]) -> Stitched:
    """`takes` follow each other in time. Of what two of them heard, each word stays once."""
    first_kept = [0] * len(takes)
    last_kept = [len(take.words) for take in takes]
    for number, (before, after) in enumerate(pairwise(takes)):
        last_kept[number], first_kept[number + 1] = _seam(before, after)
    words: list[Word] = []
    segments: list[int] = []
    for take, first, last in zip(takes, first_kept, last_kept, strict=True):
        starts = {at for at in take.segments if first <= at < last} | ({first} if first < last else set())
        segments += [len(words) + at - first for at in sorted(starts)]
        kept = list(take.words[first:last])
        if words and kept:  # Chinese and Japanese go on without a space
            kept[0] = replace(kept[0], glued=kept[0].glued or joins(words[-1].text, kept[0].text))
        words += kept
    repairs: Counter[str] = Counter()
    dropped = sum(len(take.words) for take in takes) - len(words)
    if dropped:
        repairs["heard twice at a join"] = dropped
    straight, moved = order.retimed(words)
    return Stitched(tuple(straight), tuple(segments), repairs + moved)


def spliced(row: Stitched, takes: Sequence[Take], left: float, right: float) -> Stitched:
    """The row with what `takes` heard around the hole from `left` to `right`."""
    at = next((number for number, word in enumerate(row.words) if word.start >= right), len(row.words))
    end = row.words[-1].end if row.words else right
    before = Take(Piece(0.0, right, 0.0, left), row.words[:at], tuple(n for n in row.segments if n < at))
    after = Take(
        Piece(left, max(right, end), right, max(right, end)),
        row.words[at:],
        tuple(n - at for n in row.segments if n >= at),
    )
    found = stitch((before, *takes, after))
    return replace(found, repairs=row.repairs + found.repairs)


def _seam(before: Take, after: Take) -> tuple[int, int]:
    """How many words of `before` stay, and the first of `after` that does."""
    opens, closes = after.piece.start, before.piece.end
    if opens >= closes:  # cut in a silence: nothing was heard twice
        return len(before.words), 0
    ours = [number for number, word in enumerate(before.words) if word.end > opens]
    theirs = [number for number, word in enumerate(after.words) if word.start < closes]
    if not ours or not theirs:  # only one of them heard anything there
        return len(before.words), 0
    pairs = _pairs([before.words[n] for n in ours], [after.words[n] for n in theirs])
    seam = _middle(before.piece, after.piece)
    if pairs:
        a, b = min(pairs, key=lambda pair: abs(before.words[ours[pair[0]]].start - seam))
        return ours[a] + 1, theirs[b] + 1
    return _by_time(before.words, after.words, seam)


def _middle(before: Piece, after: Piece) -> float:
    return (after.start + before.end) / 2


def _pairs(ours: Sequence[Word], theirs: Sequence[Word]) -> list[tuple[int, int]]:
    """The same spoken words in two hearings, in order: as many as there are, and of those the nearest in time.

    Text alone proves nothing (people repeat themselves): a pair is the same word at the same moment.
    """
    keys = [tokens(word.text) for word in ours], [tokens(word.text) for word in theirs]
    # best[i][j]: pairs among ours[i:] and theirs[j:], and the seconds between their starts, negated.
    best = [[(0, 0.0)] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in range(len(ours) - 1, -1, -1):
        for j in range(len(theirs) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            apart = abs(ours[i].start - theirs[j].start)
            if keys[0][i] and keys[0][i] == keys[1][j] and apart <= SAME_WORD:
                count, far = best[i + 1][j + 1]
                best[i][j] = max(best[i][j], (count + 1, far - apart))
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            found.append((i, j))
            i, j = i + 1, j + 1
    return found


def _by_time(before: Sequence[Word], after: Sequence[Word], seam: float) -> tuple[int, int]:
    """No word was heard the same by both: the middle of a word decides, and what is said at one moment stays once."""
    kept = sum(_centre(word) < seam for word in before)
    first = sum(_centre(word) < seam for word in after)
    while first < len(after) and kept and _centre(after[first]) < before[kept - 1].end:
        first += 1
    # A word that both give to the other side: it ends before the other piece goes on.
    while kept < len(before) and first < len(after) and before[kept].end <= after[first].start:
        kept += 1
    return kept, first


def _centre(word: Word) -> float:
    return (word.start + word.end) / 2
