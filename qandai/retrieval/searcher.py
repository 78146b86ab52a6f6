"""What is worked out once from a shelf and shared by every question to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from qandai.model import Filters, Video
from qandai.ports import Place, Shelf, Vectors
from qandai.retrieval.evidence import WordEvidence
from qandai.retrieval.fuse import Signals
from qandai.retrieval.lexical import Scores
from qandai.retrieval.likeness import INSIDE
from qandai.retrieval.wordwise import Wordwise, wordwise

REFERENCE = 1000
"""Passages in the archive that an embedder's floor is meant for."""

_SAMPLE = 400  # passages that are compared with each other to see how an embedder spreads
_OTHERS = 48  # passages by which the words of a question are put on a scale
# The nearest of n foreign passages comes nearer by about this share of the spread each time n grows e-fold: measured
# on two archives cut down to 38 to 29,000 passages (0.034 where all-MiniLM spreads by 0.108).
_BY_CHANCE = 0.31
_MEANT_BY_CHANCE = 0.015  # as much of a foreign question: .013 to .019 by either model, on archives of 247 to 25,101


class Searcher:
    """Scores every passage of a shelf. Immutable; does not hold the shelf, so that an old one can close.

    `width`: how many numbers of a row are of the first model.
    """

    def __init__(self, shelf: Shelf, *, width: int) -> None:
        count = len(shelf.places)
        some = range(0, count, max(1, -(-count // _OTHERS)))
        self._others = [inside.signs for inside in shelf.inside(some)]  # first: it is what can fail
        numbers: dict[str, int] = {}
        self._video = np.array([numbers.setdefault(place.video_id, len(numbers)) for place in shelf.places], np.int64)
        self._ids = tuple(numbers)
        self._words = WordEvidence(shelf, self._video)
        self._spread = _spread(shelf.vectors[:, :width])

    def signals(self, text: str, likeness: Scores) -> Signals:
        """`vectors` is how near the passages are, by their vectors; `bm25` the share of what a passage could score that
        held every word of the question."""
        return {"vectors": likeness, "bm25": self._words.bm25(text)}

    def evidence(self, text: str, likeness: Scores) -> Signals:
        """The signals with all others that a ranker weighs. `near` is the likeness of the better neighbour; `sentence`,
        `sentences` and `words` are that of the passage, until they are read and speak for themselves."""
        near = self._words.near(likeness)
        return {
            **self.signals(text, likeness),
            "near": near,
            **self._words.of(text),
            **dict.fromkeys(INSIDE, likeness),
        }

    def wordwise(self, text: str, words: Sequence[Vectors]) -> Wordwise | None:
        """How near the words of a question are to those of passages; `words`: their vectors in each model. None where a
        model does not tell words apart."""
        return wordwise(words, self._words.weights(text), self._others)

    def terms(self, text: str) -> Mapping[str, float]:
        """The distinct folded words of a question with what they tell in this archive (inverse document frequency)."""
        return self._words.terms(text)

    def put_right(self, text: str, is_word: Callable[[str], bool]) -> str:
        """A question with its slips of the fingers as the archive spells the words; `is_word`: those that are none."""
        return self._words.put_right(text, is_word)

    def chance(self, passages: int) -> float:
        """What `Hit.chance` says of hits that were chosen from so many passages.

        Nothing below the reference: a small archive about one subject comes as near to what it does not answer."""
        return _BY_CHANCE * self._spread * _growth(passages)

    def meant_by_chance(self, passages: int) -> float:
        """The same of `Excerpt.meant`."""
        return _MEANT_BY_CHANCE * _growth(passages)

    def allowed(self, videos: Mapping[str, Video], filters: Filters) -> NDArray[np.bool_]:
        """(n,), True for the passages of videos that pass every filter."""
        passing = np.array([passes(videos[video_id], filters) for video_id in self._ids], np.bool_)
        return passing[self._video] if self._ids else np.zeros(0, np.bool_)


def _growth(passages: int) -> float:
    return math.log(max(1.0, passages / REFERENCE))


def _spread(vectors: Vectors) -> float:
    """The standard deviation of the cosines between the passages of an archive; 0 for a single one."""
    sample = vectors[:: max(1, len(vectors) // _SAMPLE)]
    lengths = np.linalg.norm(sample, axis=1, keepdims=True)
    sample = sample / np.maximum(lengths, 1e-12)  # a part of a row is shorter than the row
    pairs = (sample @ sample.T)[np.triu_indices(len(sample), 1)]
    return float(pairs.std()) if pairs.size else 0.0


class Searchers:
    """One searcher a shelf, as long as the shelf lives: while a newer one takes over, questions that began with the
    older go on with theirs. Threads share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: WeakKeyDictionary[Shelf, Searcher] = WeakKeyDictionary()

    def of(self, shelf: Shelf, *, width: int) -> Searcher:
        kept = self._kept.get(shelf)
        if kept is None:
            with self._lock:  # so that two visitors of a new shelf do not build it twice
                kept = self._kept.get(shelf)
                if kept is None:
                    kept = self._kept[shelf] = Searcher(shelf, width=width)
        return kept


def passes(video: Video, filters: Filters) -> bool:
    """A video without a date passes no filter by date. `2020` or `2020-05` as a last day takes in all of it."""
    if filters.videos and video.id not in filters.videos:
        return False
    if filters.sources and (video.channel or "") not in filters.sources:
        return False
    day = video.published or ""
    if filters.since and day < filters.since:
        return False
    return not filters.until or (bool(day) and day[: len(filters.until)] <= filters.until)


def window(places: Sequence[Place], texts: Sequence[str], index: int, *, chars: int) -> range:
    """The places of passage `index` with its neighbours in the recording, `chars` long or as much as there is,
    and then the one that follows, so that an answer which starts at a boundary is whole."""
    first = last = index
    length = len(texts[index])
    while length < chars:
        before, after = joined(places, first - 1), joined(places, last)
        if not before and not after:
            break
        if before and (index - first <= last - index or not after):
            first -= 1
            length += len(texts[first])
        else:
            last += 1
            length += len(texts[last])
    if joined(places, last):
        last += 1
    return range(first, last + 1)


def joined(places: Sequence[Place], index: int) -> bool:
    """Whether the passage after `index` goes on where it ends; an editor may have taken out what lay between."""
    if not 0 <= index < len(places) - 1:
        return False
    one, next_one = places[index], places[index + 1]
    return one.video_id == next_one.video_id and next_one.first <= one.last + 1
