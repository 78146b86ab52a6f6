"""Retrieval, question by question: where in the ranking does the first passage stand that holds the answer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from eval.metrics import hit_at, mean, mrr, ndcg_at, quantile
from eval.questions import Asked
from eval.runs import Run
from eval.statistics import interval
from eval.subject import Subject

DEPTH = 100
"""Passages that are ranked for each question; an answer further down counts as not found."""

SHARES = ("hit@1", "hit@5", "hit@10", "mrr", "ndcg@10", "right_video@1")


class Relevant:
    """Which passages of an archive hold the answer to a question: any of their words lies in it, or they say it."""

    def __init__(self, subject: Subject) -> None:
        self._spans = [leaf.passage for leaf in subject.shelf.leaves]
        self._starts = np.array([span.start for span in self._spans])
        self._ends = np.array([span.end for span in self._spans])
        self._video = np.array([span.video.id for span in self._spans])

    def to(self, asked: Asked) -> frozenset[int]:
        if asked.contains:
            return frozenset(index for index, span in enumerate(self._spans) if asked.met_by(span))
        near: set[int] = set()
        for moment in asked.moments:
            touching = (self._starts < moment.end) & (self._ends > moment.start)
            near.update(np.flatnonzero(touching & (self._video == moment.video_id)).tolist())
        return frozenset(index for index in near if asked.met_by(self._spans[index]))


@dataclass(frozen=True, slots=True)
class Ranked:
    """`found`: of each ranked passage, whether it holds the answer; `relevant`: how many there are in all; `shown`: how
    many of the best a visitor sees who asks for sources."""

    asked: Asked
    indices: tuple[int, ...]
    found: tuple[bool, ...]
    relevant: int
    shown: int
    right_video: bool
    ms: float

    @property
    def rank(self) -> int | None:
        return next((rank for rank, right in enumerate(self.found, 1) if right), None)


def rank_all(subject: Subject, step: Callable[[int], object] = lambda _: None) -> list[Ranked]:
    """Every question that has an answer. Raises as the asker does."""
    relevant = Relevant(subject)
    subject.retriever.warm(subject.shelf, subject.embedded("warm"))
    done = []
    for asked in subject.data.questions:
        if asked.answerable:
            done.append(_rank(subject, asked, relevant.to(asked)))
        step(1)
    return done


def _rank(subject: Subject, asked: Asked, right: frozenset[int]) -> Ranked:
    subject.embedded(asked.text)  # known from here on, so that only the ranking is timed
    began = perf_counter()
    search = subject.searched(asked.text)
    hits = search.hits(count=DEPTH)
    ms = (perf_counter() - began) * 1000
    indices = tuple(hit.index for hit in hits)
    places = subject.shelf.places
    videos = {moment.video_id for moment in asked.moments} or {places[index].video_id for index in right}
    return Ranked(
        asked,
        indices,
        tuple(index in right for index in indices),
        len(right),
        len(search.telling(hits[: subject.settings.top_k])),
        bool(indices) and places[indices[0]].video_id in videos,
        ms,
    )


def metrics(ranked: Sequence[Ranked], subject: Subject) -> dict[str, float | None]:
    found = [one.found for one in ranked]
    return {
        "hit@1": hit_at(1, found),
        "hit@5": hit_at(5, found),
        "hit@10": hit_at(10, found),
        "mrr": mrr(found),
        "ndcg@10": ndcg_at(10, found, [one.relevant for one in ranked]),
        "right_video@1": mean([one.right_video for one in ranked]),
        "shown": mean([one.shown for one in ranked]),
        "hit@shown": mean([any(one.found[: one.shown]) for one in ranked]),
        "mean_passage_chars": mean([len(text) for text in subject.shelf.texts]),
        "rank_ms_p50": quantile([one.ms for one in ranked], 0.5),
    } | ({"rewritten": mean([one.asked.text in subject.rewrites for one in ranked])} if subject.rewrites else {})


def rows(ranked: Sequence[Ranked], subject: Subject) -> list[dict[str, object]]:
    """One a question; the figures under the names of the metrics they add up to."""
    return [
        {
            "id": one.asked.id,
            "question": one.asked.text,
            "rank": one.rank,
            "hit@1": float(any(one.found[:1])),
            "hit@5": float(any(one.found[:5])),
            "hit@10": float(any(one.found[:10])),
            "mrr": 1 / one.rank if one.rank else 0.0,
            "ndcg@10": ndcg_at(10, [one.found], [one.relevant]),
            "right_video@1": float(one.right_video),
            "hit@shown": float(any(one.found[: one.shown])),
            "shown": one.shown,
            "relevant": one.relevant,
            "ms": round(one.ms, 2),
            "top": [_told(subject, index) for index in one.indices[:3]],
        }
        for one in ranked
    ]


def _told(subject: Subject, index: int) -> dict[str, object]:
    span = subject.shelf.leaves[index].passage
    return {
        "passage_id": span.id,
        "start": round(span.start, 2),
        "end": round(span.end, 2),
        "text": span.text[:160],
    }


def run(subject: Subject, *, seed: int = 0, step: Callable[[int], object] = lambda _: None) -> Run:
    ranked = rank_all(subject, step)
    told = rows(ranked, subject)
    intervals = {
        name: bounds for name in SHARES if (bounds := interval([float(str(row[name])) for row in told], seed=seed))
    }
    return Run(
        "retrieval",
        subject.described(),
        subject.data.described(),
        metrics(ranked, subject),
        told,
        seed,
        intervals,
    )
