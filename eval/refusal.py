"""Are questions refused that nobody answered, and only those?

    python -m eval.refusal --transcripts DIR --questions FILE [--foreign FILE …] [--json OUT]

Asked are the questions of FILE (those with `"answerable": false` are near misses), the questions of every --foreign
FILE (real ones put to an archive that does not hold them, or near misses written for it) and absurd ones. What decides
is the confidence of the real selector; both error rates are measured at every floor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from eval.data import Data
from eval.metrics import mean
from eval.options import Cell
from eval.questions import Asked, read_questions
from eval.runs import Run, digest, guarded
from eval.statistics import interval
from eval.subject import Bench, Subject, prepare
from eval.sweeps import options, progress, sweep, table
from qandai.answering.extractive import confidence
from qandai.asking.finding import OVERFETCH

ABSURD = Path(__file__).parent / "questions" / "absurd.jsonl"
SHOWN = (
    "floor", "answerable_refused", "foreign_refused", "auc", "near_auc", "absurd_auc", "best_floor",
    "best_answerable_refused", "best_foreign_refused",
)  # fmt: skip
_POINTS = 201

Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Judged:
    """`kind`: answerable, near (a real question, asked of the wrong archive) or absurd."""

    asked: Asked
    kind: str
    confidence: float


def judge(subject: Subject, questions: Sequence[tuple[Asked, str]], step: Callable[[int], object]) -> list[Judged]:
    """The confidence that decides, for each question as the asker comes to it."""
    judged = []
    shelf, top_k = subject.shelf, subject.settings.top_k
    for asked, kind in questions:
        search = subject.retriever.search(shelf, subject.embedded(asked.text))
        hits = search.apart(search.hits(count=top_k * OVERFETCH), count=top_k)
        judged.append(Judged(asked, kind, confidence(search.excerpts(hits), subject.calibration)))
        step(1)
    return judged


def auc(answerable: Sequence[float], foreign: Sequence[float]) -> float | None:
    """How often an answerable question is met with more confidence than a foreign one; ties count half
    (Mann & Whitney 1947). None where either has no questions."""
    if not answerable or not foreign:
        return None
    ordered = np.sort(np.asarray(foreign))
    below = np.searchsorted(ordered, answerable, "left")
    level = np.searchsorted(ordered, answerable, "right")
    return float((below + level).mean() / (2 * len(foreign)))


def rates(answerable: Sequence[float], foreign: Sequence[float], floor: float) -> tuple[float, float]:
    """The shares that a floor refuses: of the answerable (wrongly) and of the foreign (rightly)."""
    return mean([value < floor for value in answerable]), mean([value < floor for value in foreign])


def metrics(judged: Sequence[Judged], floor: float) -> Figures:
    """`floor` is the one in use; `best_floor` loses least of both kinds together, halfway between two questions."""
    answerable = [one.confidence for one in judged if one.kind == "answerable"]
    kinds = {kind: [one.confidence for one in judged if one.kind == kind] for kind in ("near", "absurd")}
    foreign = [value for values in kinds.values() for value in values]
    refused, kept_out = rates(answerable, foreign, floor)
    best = best_floor(answerable, foreign)
    best_refused, best_kept_out = rates(answerable, foreign, best)
    low, high = (min(answerable + foreign), max(answerable + foreign)) if judged else (0.0, 1.0)
    return {
        "floor": floor,
        "answerable_refused": refused,
        "foreign_refused": kept_out,
        "auc": auc(answerable, foreign),
        **{f"{kind}_auc": auc(answerable, values) for kind, values in kinds.items()},
        **{f"{kind}_refused": rates([], values, floor)[1] for kind, values in kinds.items() if values},
        "best_floor": best,
        "best_answerable_refused": best_refused,
        "best_foreign_refused": best_kept_out,
        "curve": [
            [round(float(at), 4), *(round(rate, 4) for rate in rates(answerable, foreign, float(at)))]
            for at in np.linspace(low, high, _POINTS)
        ],
    }


def best_floor(answerable: Sequence[float], foreign: Sequence[float]) -> float:
    """Youden 1950: the floor with the largest difference between what it refuses of the one and of the other."""
    values = sorted({*answerable, *foreign})
    between = [(one + other) / 2 for one, other in pairwise(values)] or [0.0]
    kept, out = np.sort(answerable), np.sort(foreign)
    gains = np.searchsorted(out, between) / max(1, len(out)) - np.searchsorted(kept, between) / max(1, len(kept))
    return float(round(between[int(np.argmax(gains))], 4))


def run(subject: Subject, foreign: Sequence[tuple[Asked, str]], step: Callable[[int], object], *, seed: int = 0) -> Run:
    floor = subject.calibration.floor
    own = [(asked, "answerable" if asked.answerable else "near") for asked in subject.data.questions]
    judged = judge(subject, [*own, *foreign], step)
    rows = [
        {
            "id": one.asked.id,
            "question": one.asked.text,
            "kind": one.kind,
            "confidence": round(one.confidence, 5),
            "refused": float(one.confidence < floor),
        }
        for one in judged
    ]
    intervals = {}
    for name, kinds in (("answerable_refused", ("answerable",)), ("foreign_refused", ("near", "absurd"))):
        bounds = interval([float(one.confidence < floor) for one in judged if one.kind in kinds], seed=seed)
        if bounds:
            intervals[name] = bounds
    data = subject.data.described() | {"foreign": len(foreign)}
    return Run("refusal", subject.described(), data, metrics(judged, floor), rows, seed, intervals)


def foreign_questions(files: Sequence[Path]) -> list[tuple[Asked, str]]:
    """Those of other archives count as near misses whatever their own archive answers; absurd ones come last."""
    near = [(asked, "near") for path in files for asked in read_questions(path)]
    return near + [(asked, "absurd") for asked in read_questions(ABSURD)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--foreign", type=Path, nargs="*", default=[], help="questions that this archive does not hold")
    given = parser.parse_args(arguments)
    foreign = foreign_questions(given.foreign)

    def measure(bench: Bench, data: Data, cell: Cell) -> Run:
        with progress() as bar:
            texts = [asked.text for asked, _ in foreign]
            subject = prepare(bench, data, cell, embedding=given.embedding, foreign=texts, step=bar("embedding", 0))
            total = len(data.questions) + len(foreign)
            return run(subject, foreign, bar("asking", total), seed=given.seed)

    print(table(sweep(given, "refusal", measure, beside=digest([ABSURD, *given.foreign])), SHOWN))


if __name__ == "__main__":
    guarded(main)
