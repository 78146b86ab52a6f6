"""Learns what counts in ranking: the weights of every kind of evidence, and the same without each collection.

    python -m eval.train [--data DIR] [--home DIR]

DIR (default: QANDAI_SHARED_DATA, else ../shared/data) holds transcripts/ and qa/. Writes qandai/retrieval/ranker.json,
which ships, and eval/rankers/, with which the evaluation measures each collection by a ranker that never saw it.

A linear model with softmax loss (Cao et al. 2007, with several right passages a question) over the passages that any
signal ranks among its best. Every set of questions weighs the same, however many it has: those that were worded over
the transcript are many, and those of visitors few. English archives are learned from three times, by each model alone
and by both, so that one ranker serves them all. Learning twice gives the same file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from eval.data import load
from eval.everything import COLLECTIONS, Collection
from eval.options import Cell
from eval.ranked import Relevant
from eval.runs import combined, guarded
from eval.subject import Bench, Subject, prepare
from eval.sweeps import Step, progress
from eval.trained import RANKERS, remember
from qandai.errors import UsageError
from qandai.ports import Shelf
from qandai.retrieval.fuse import best
from qandai.retrieval.likeness import Likeness
from qandai.retrieval.ranking import Ranking
from qandai.retrieval.retriever import inside_evidence
from qandai.retrieval.searcher import Searcher

SHIPPED = Path(__file__).parent.parent / "qandai" / "retrieval" / "ranker.json"
NOT_LEARNED_FROM = frozenset({"datatalksclub-topics"})  # phrases, and ten times as many as all the others

FEATURES = (
    "vectors", "near", "sentence", "sentences", "words", "bm25", "stems", "pairs", "covered", "covered_near",
    "covered_squared", "covered_near_squared", "video",
)  # fmt: skip
POOL = 60  # of each signal's best
POOLED = ("vectors", "bm25", "stems", "pairs", "covered_near")
RIDGE = 3.0  # of the squared weights of features scaled to a spread of 1; 1 to 10 give the same to .005
DIGITS = 4

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One question: `evidence` (candidates, features), `right` (candidates,), `plain` their scores by linear fusion.
    `weight`: what it counts."""

    evidence: Matrix
    right: NDArray[np.bool_]
    plain: Matrix
    weight: float


def lessons(subject: Subject, step: Step) -> Iterator[Lesson]:
    """Of every question with an answer that some signal finds, by each model and by all of them."""
    relevant = Relevant(subject)
    views = list(_views(subject))
    asked_all = [asked for asked in subject.data.questions if asked.answerable]
    for asked in asked_all:
        query = subject.embedded(asked.text)
        right = relevant.to(asked)
        for models, shelf, searcher in views:
            readings = [query.readings[model] for model in models]
            likeness = Likeness(shelf.vectors, [reading.vector for reading in readings])
            signals = searcher.evidence(query.query.text, likeness.passages)
            places = sorted({int(place) for name in POOLED for place in best(signals[name], POOL)})
            found = np.array([place in right for place in places], np.bool_)
            if not found.any():
                continue
            words = searcher.wordwise(query.query.text, [reading.words for reading in readings])
            chosen = {name: scores[places] for name, scores in signals.items()}
            chosen |= inside_evidence(likeness, words, shelf.inside(places))
            plain = np.asarray(Ranking(fusion="linear").fuse(signals)[places], np.float64)
            evidence = np.stack([chosen[name] for name in FEATURES], axis=1).astype(np.float64)
            yield Lesson(evidence, found, plain, 1 / len(asked_all))
        step(1)


def _views(subject: Subject) -> Iterator[tuple[tuple[int, ...], Shelf, Searcher]]:
    """The archive as each model alone would have it, then as all together do: the models' numbers first."""
    widths = [embedder.dimension for embedder in subject.known]
    if len(widths) > 1:
        for model, dimension in enumerate(widths):
            shelf = subject.shelf.part(widths, model)
            yield (model,), shelf, Searcher(shelf, width=dimension)
    yield tuple(range(len(widths))), subject.shelf, Searcher(subject.shelf, width=widths[0])


def learn(learned_from: Sequence[Lesson]) -> Mapping[str, float]:
    """The weights by name, scaled so that scores spread over a question's candidates as those of linear fusion do:
    whoever adds them to something else need not know which ranker made them."""
    rows = np.concatenate([lesson.evidence for lesson in learned_from])
    spread = rows.std(axis=0) + 1e-9
    weights = _fit(learned_from, rows / spread) / spread
    made = np.mean([np.std(lesson.evidence @ weights) for lesson in learned_from])
    wanted = np.mean([np.std(lesson.plain) for lesson in learned_from])
    return {name: round(float(weight), DIGITS) for name, weight in zip(FEATURES, weights * wanted / made, strict=True)}


def _fit(learned_from: Sequence[Lesson], rows: Matrix) -> Matrix:
    counts = [len(lesson.right) for lesson in learned_from]
    question = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum([0, *counts[:-1]])
    right = np.concatenate([lesson.right for lesson in learned_from])
    weight = np.array([lesson.weight for lesson in learned_from])
    weight *= len(weight) / weight.sum()

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        scores = rows @ weights
        likely = np.exp(scores - np.maximum.reduceat(scores, first)[question])
        of_all, of_right = np.add.reduceat(likely, first), np.add.reduceat(likely * right, first)
        of_right = np.maximum(of_right, 1e-300)
        pull = likely / of_all[question] - likely * right / of_right[question]
        value = float(weight @ (np.log(of_all) - np.log(of_right)) + RIDGE * weights @ weights)
        return value, rows.T @ (pull * weight[question]) + 2 * RIDGE * weights

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x, np.float64)


def teach(collection: Collection, data: Path, bench: Bench) -> tuple[list[Lesson], tuple[str, ...], Mapping[str, str]]:
    """What a collection has to teach, the hashes of its transcripts, and of what was read by name."""
    qa = data / "qa"
    names = [name for name in collection.sets if name not in NOT_LEARNED_FROM]
    archive = load(data / "transcripts" / collection.folder, qa / f"{names[0]}.jsonl", language=collection.language)
    found: list[Lesson] = []
    read = {"transcripts": combined(archive.hashes)}
    with progress() as bar:
        for name in names:
            asked = archive.asking(qa / f"{name}.jsonl")
            read[name] = asked.questions_hash
            subject = prepare(bench, asked, Cell(), step=bar(f"{collection.folder}: embedding", 0), untaught=True)
            found += lessons(subject, bar(f"{collection.folder}: {name}", len(asked.questions)))
    return found, archive.hashes, read


def write(path: Path, weights: Mapping[str, float], trained_on: Sequence[str], data: Mapping[str, object]) -> None:
    document = {"trained_on": list(trained_on), "weights": weights, "data": {name: data[name] for name in trained_on}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("QANDAI_SHARED_DATA") or "../shared/data")
    parser.add_argument("--data", type=Path, default=shared, help="a folder with transcripts/ and qa/")
    parser.add_argument("--home", type=Path, default=Path(), help="whose store/ caches the vectors; default: here")
    given = parser.parse_args()
    if not (given.data / "qa").is_dir():
        raise UsageError(f"{given.data} has no qa/.", hint="QANDAI_SHARED_DATA or --data names the recordings' folder.")
    taught: dict[str, list[Lesson]] = {}
    data: dict[str, object] = {}
    for collection in COLLECTIONS:
        name = collection.folder
        taught[name], hashes, data[name] = teach(collection, given.data, Bench(given.home))
        remember(name, hashes)
        print(f"{name}: {len(taught[name])} lessons", file=sys.stderr, flush=True)
    for name in taught:
        others = [other for other in taught if other != name]
        write(RANKERS / f"{name}.json", learn([one for other in others for one in taught[other]]), others, data)
    weights = learn([one for some in taught.values() for one in some])
    write(SHIPPED, weights, list(taught), data)
    print(json.dumps(weights, indent=1))


if __name__ == "__main__":
    guarded(main)
