"""What the words of a question say for each passage: exact words, word families, pairs of words, and what the passage
before, the one after and the rest of the recording hold. A ranker weighs these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qandai.ports import Shelf
from qandai.retrieval.lexical import Bm25, Scores
from qandai.retrieval.pairs import PairBm25
from qandai.retrieval.spelling import Spelling
from qandai.retrieval.stems import stem
from qandai.text import tokens, word_places

_RARE = 1.5  # the power of what a word tells; over nine sets .5, 1 and 1.5 differ by .02, and rare words serve visitors
_FEW = 4  # words
_COMMON = 0.003  # of the passages hold a common word
_SHARED = 0.4  # of a question's words are common in an archive of its language, and under a third in any other
_VOCABULARY = 1000  # common words are in an archive of some hours; where it has fewer, questions hold fewer too


class WordEvidence:
    """Built once from a shelf; immutable, and threads share it. `video` (passages,) counts their recordings from 0."""

    def __init__(self, shelf: Shelf, video: NDArray[np.int64]) -> None:
        documents = [tokens(text) for text in shelf.texts]
        self._language = _language(shelf)
        self._words = Bm25.build(documents)
        self._families = Bm25.build(self._stemmed(document) for document in documents)
        self._pairs = PairBm25.build(documents)
        said = np.diff(self._words.borders)  # in so many passages is each word
        self._often = max(1.0, _COMMON * len(documents))
        self._common = int((said >= self._often).sum())
        self._spelling = Spelling({word: int(said[column]) for word, column in self._words.words.items()})
        self._video = video
        self._follows = np.concatenate([[False], video[1:] == video[:-1]])[: len(video)]

    def bm25(self, text: str) -> Scores:
        """The share of what a passage could score that held every word of the question."""
        return self._words.shares(tokens(text))

    def terms(self, text: str) -> Mapping[str, float]:
        """The distinct folded words of a question with their IDF, in order; none where it is in another language than
        the archive, since what they share with it then means something else or nothing."""
        words = tokens(text)
        return {word: self._words.idf(word) for word in words} if self._speaks(words) else {}

    def weights(self, text: str) -> NDArray[np.float32]:
        """(words of `word_places`,): what each tells. Of one that is folded as a whole (don't), its parts share that by
        their length."""
        told: list[float] = []
        for word in text.split():
            parts, folded = [last - first for first, last in word_places(word)], tokens(word)
            if len(parts) == len(folded):
                told += (self._words.idf(token) for token in folded)
            else:
                most = max((self._words.idf(token) for token in folded), default=0.0)
                told += (most * length / sum(parts) for length in parts)
        return np.array(told, np.float32) ** _RARE

    def put_right(self, text: str, is_word: Callable[[str], bool]) -> str:
        """A question as the archive spells it; as it is in another language, whose words are all strange here."""
        return self._spelling.put_right(text, is_word) if self._speaks(tokens(text)) else text

    def _speaks(self, words: Sequence[str]) -> bool:
        """Whether a question may be in the archive's language: hardly any sentence does without its common words. Few
        words say nothing about their language."""
        if len(words) < _FEW:
            return True
        shared = sum(len(self._words.holding(word)) >= self._often for word in words) / len(words)
        return shared >= _SHARED * min(1.0, self._common / _VOCABULARY)

    def of(self, text: str) -> dict[str, Scores]:
        """By name, (passages,) each:

        `stems` BM25 over word families and `pairs` over neighbouring words, as shares of what could be reached;
        `covered` the share of the question's word families, by what they tell, that the passage holds, and
        `covered_near` that it holds with its neighbours; both again squared, since holding almost everything says
        more than twice what holding half says; `video` the best `covered_near` of the recording.
        """
        words = tokens(text)
        asked = self._stemmed(words)
        families = list(dict.fromkeys(asked))
        held = np.zeros((len(families), len(self._video)), np.float32)
        for number, family in enumerate(families):
            held[number, self._families.holding(family)] = 1.0
        values = np.array([self._families.idf(family) for family in families], np.float32)
        values /= max(float(values.sum()), 1e-9)
        covered = values @ held
        covered_near = values @ self._around(held)
        return {
            "stems": self._families.shares(asked),
            "pairs": self._pairs.shares(words),
            "covered": covered,
            "covered_near": covered_near,
            "covered_squared": covered**2,
            "covered_near_squared": covered_near**2,
            "video": self._best_of_video(covered_near),
        }

    def near(self, scores: Scores) -> Scores:
        """The better of the two neighbours; the passage's own score where it has none."""
        before = np.where(self._follows, np.roll(scores, 1), -np.inf)
        after = np.where(np.roll(self._follows, -1), np.roll(scores, -1), -np.inf)
        found = np.maximum(before, after)
        return np.where(np.isfinite(found), found, scores).astype(np.float32)

    def _stemmed(self, words: Sequence[str]) -> list[str]:
        return [stem(word, self._language) for word in words]

    def _around(self, held: NDArray[np.float32]) -> NDArray[np.float32]:
        """(families, passages): 1 where the passage or a neighbour of it holds the family."""
        around = held.copy()
        if held.shape[1] > 1:
            around[:, 1:] = np.maximum(around[:, 1:], held[:, :-1] * self._follows[1:])
            around[:, :-1] = np.maximum(around[:, :-1], held[:, 1:] * self._follows[1:])
        return around

    def _best_of_video(self, scores: Scores) -> Scores:
        if not len(scores):
            return scores
        best = np.maximum.reduceat(scores, np.flatnonzero(~self._follows))  # passages of a recording stand together
        return best[self._video]


def _language(shelf: Shelf) -> str:
    """The language that most recordings are in; English where none says."""
    spoken = [(video.language or "en").split("-")[0] for video in shelf.videos.values()]
    return max(set(spoken), key=lambda language: (spoken.count(language), language)) if spoken else "en"
