"""Passages quoted with every fault, looked for by every aligner, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from eval.aligners import ALIGNERS, Text
from eval.perturb import PERTURBATIONS, Quoted, quoted
from eval.spoken import Passage
from qandai.model import Row
from qandai.text import tokens

_WITHIN = 0.5  # seconds
_EARLY = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """`error`: seconds from the gold start to the start found, None for not found. `wrongly`: whether the quote was
    found in another recording, which never says it; None where that one does say it."""

    passage: int
    aligner: str
    perturbation: str
    error: float | None
    wrongly: bool | None
    ms: float


class Quoting:
    """Quotes passages and looks for them. Each recording is prepared once."""

    def __init__(self, rows: Sequence[Row], aligners: Sequence[str], seed: int) -> None:
        self._texts = [Text(row) for row in rows]
        self._vocabularies = [sorted({word.text for word in row.words}) for row in rows]
        self._aligners = aligners
        self._seed = seed

    def outcomes(self, number: int, passage: Passage) -> Iterator[Outcome]:
        rng = Random(f"{self._seed}:{number}")
        own = self._texts[passage.recording]
        other = self._texts[(passage.recording + rng.randrange(1, len(self._texts))) % len(self._texts)]
        start = rng.randrange(max(1, len(other.row.words) - 250))
        said = [word.text for word in own.row.words[passage.first : passage.first + passage.count]]
        recurs = f" {' '.join(tokens(' '.join(said)))} " in f" {other.text} "
        for perturbation in PERTURBATIONS:
            typed = Random(f"{self._seed}:{number}:{perturbation}")
            quote = quoted(perturbation, said, typed, self._vocabularies[passage.recording])
            for name, at_recording in ((name, whole) for name in self._aligners for whole in (False, True)):
                align = ALIGNERS[name]
                if at_recording:
                    here, there, low = own, other, 0
                else:  # an excerpt is new every time, and so is what it costs to prepare it
                    here, low = Text(_part(own.row, passage.low, passage.high)), passage.low
                    there = Text(_part(other.row, start, start + 250))
                begun = time.perf_counter()
                found = align(quote.text, here)
                ms = 1000 * (time.perf_counter() - begun)
                error = None if found is None else self._error(passage, quote, low + found.first)
                wrongly = None if recurs else align(quote.text, there) is not None
                yield Outcome(number, f"{name}@recording" if at_recording else name, perturbation, error, wrongly, ms)

    def _error(self, passage: Passage, quote: Quoted, first: int) -> float:
        """A place that says the very same words is as right as the passage's own."""
        words = self._texts[passage.recording].row.words
        gold, size = passage.first + quote.first, passage.count - quote.first
        same = [tokens(word.text) for word in words[first : first + size]] == [
            tokens(word.text) for word in words[gold : gold + size]
        ]
        return 0.0 if same else words[first].start - words[gold].start


def _part(row: Row, low: int, high: int) -> Row:
    return Row(row.video, row.words[low:high], low)


def summarise(found: Sequence[Outcome]) -> dict[str, float | None]:
    """The figures of one aligner under one perturbation; shares are of all quotes."""
    errors = np.array([outcome.error for outcome in found if outcome.error is not None])
    foreign = [outcome.wrongly for outcome in found if outcome.wrongly is not None]
    times = [outcome.ms for outcome in found]
    return {
        "found": len(errors) / len(found),
        "within_0.5s": float((np.abs(errors) <= _WITHIN).sum()) / len(found),
        "early_5s": float((errors < -_EARLY).sum()) / len(found),
        "wrongly_found": sum(foreign) / len(foreign) if foreign else None,
        "start_error_p99": round(float(np.percentile(np.abs(errors), 99)), 3) if len(errors) else None,
        "ms_p50": round(float(np.percentile(times, 50)), 3),
        "ms_p99": round(float(np.percentile(times, 99)), 3),
    }
