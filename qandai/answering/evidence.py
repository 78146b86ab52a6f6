"""What speaks for each sentence of an excerpt, as arrays: what selects is a weighing of these, and can be trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qandai.model import Excerpt, Span
from qandai.text import tokens

Values = NDArray[np.float64]
"""(sentences of the excerpt,)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """`likeness` of sentence and question; `coverage`: the share of the question's words, by what they tell, that the
    sentence holds; `around`: the same for the sentence with its neighbours; `inside`: 1 within the ranked passage;
    `passage`: the score that the passage was ranked by, the same for all."""

    likeness: Values
    coverage: Values
    around: Values
    inside: Values
    passage: Values

    @classmethod
    def of(cls, excerpt: Excerpt) -> Evidence:
        said = [frozenset(tokens(sentence.span.text)) for sentence in excerpt.sentences]
        near = [frozenset().union(*said[max(0, place - 1) : place + 2]) for place in range(len(said))]
        first, last = excerpt.passage.first, excerpt.passage.last
        return cls(
            likeness=np.array([sentence.likeness for sentence in excerpt.sentences]),
            coverage=np.array([covered(excerpt.terms, words) for words in said]),
            around=np.array([covered(excerpt.terms, words) for words in near]),
            inside=np.array([float(_within(s.span, first, last)) for s in excerpt.sentences]),
            passage=np.full(len(said), excerpt.hit.score),
        )

    def weigh(self, weights: Mapping[str, float]) -> Values:
        values = np.zeros(len(self.likeness))
        for name, weight in weights.items():
            values += weight * np.asarray(getattr(self, name), np.float64)
        return values


def covered(terms: Mapping[str, float], words: frozenset[str]) -> float:
    """0 to 1; 0 for a question without words."""
    total = sum(terms.values())
    return sum(value for term, value in terms.items() if term in words) / total if total else 0.0


def _within(span: Span, first: int, last: int) -> bool:
    return first <= span.first and span.last <= last
