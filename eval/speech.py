"""Speech to text against text that is known: how many words are wrong, and by how much their seconds.

    python -m eval.speech [--minutes 25] [--piece-seconds 600] [--json OUT]

Two synthetic voices speak the talks of the demo and sentences full of numbers, with silences, and with a phrase that
comes back again and again across every second cut, where something hums and no silence helps. Each figure is printed
twice: of the pieces as the recogniser gave them, laid end to end, and of what the program makes of them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from eval.known_speech import Said, record
from eval.voices import Espeak, Hibari
from qandai.adapters.ffmpeg import Ffmpeg
from qandai.adapters.heard_files import HeardFiles
from qandai.adapters.whisper import LocalWhisper
from qandai.alignment.numbers import numbers
from qandai.hearing import Heard, Transcriber, TranscriberLimits
from qandai.ingest.transcribe.plan import Piece, plan
from qandai.ingest.transcribe.speech import Speech
from qandai.ingest.transcribe.story import Scribe
from qandai.model import Word
from qandai.text import tokens


@dataclass(frozen=True, slots=True)
class Figures:
    """Word error rate with numbers read alike; seconds between the starts of words that both agree on."""

    word_error_rate: float
    inserted: int
    deleted: int
    replaced: int
    start_median: float
    start_p95: float
    timed_words: int
    backward_steps: int


class Recorder:
    """A transcriber that remembers, for each piece, from when to when it lasted and what was heard."""

    def __init__(self, transcriber: Transcriber) -> None:
        self._transcriber = transcriber
        self.heard: list[tuple[float, float, Heard]] = []

    @property
    def model(self) -> str:
        return self._transcriber.model

    @property
    def limits(self) -> TranscriberLimits:
        return self._transcriber.limits

    def transcribe(self, piece: Path, *, language: str | None, prompt: str) -> Heard:
        heard = self._transcriber.transcribe(piece, language=language, prompt=prompt)
        start, end = map(float, piece.stem.split("-"))
        self.heard.append((start, end, heard))
        return heard

    def laid_end_to_end(self, pieces: Sequence[Piece]) -> list[Word]:
        """Every word of these pieces, moved by the second at which its piece begins."""
        planned = {(piece.start, piece.end) for piece in pieces}
        return [
            Word(word.text.strip(), start + word.start, start + (word.start if word.end is None else word.end))
            for start, end, heard in sorted(self.heard, key=lambda piece: piece[0])
            if (start, end) in planned
            for word in heard.words
            if word.start is not None
        ]


def compare(said: Sequence[Said], heard: Sequence[Word]) -> Figures:
    ours = _keyed([(word.text, word.start) for word in said])
    theirs = _keyed([(word.text, word.start) for word in heard])
    codes = Levenshtein.opcodes([key for key, _ in ours], [key for key, _ in theirs])
    counts = dict.fromkeys(("insert", "delete", "replace"), 0)
    apart: list[float] = []
    for code in codes:
        if code.tag == "equal":
            pairs = zip(ours[code.src_start : code.src_end], theirs[code.dest_start : code.dest_end], strict=True)
            apart += [abs(a - b) for (_, a), (_, b) in pairs if a is not None and b is not None]
        else:
            counts[code.tag] += max(code.src_end - code.src_start, code.dest_end - code.dest_start)
    starts = [word.start for word in heard]
    return Figures(
        word_error_rate=round(sum(counts.values()) / max(1, len(ours)), 4),
        inserted=counts["insert"],
        deleted=counts["delete"],
        replaced=counts["replace"],
        start_median=round(float(np.median(apart)), 3) if apart else 0.0,
        start_p95=round(float(np.quantile(apart, 0.95)), 3) if apart else 0.0,
        timed_words=len(apart),
        backward_steps=sum(after < before for before, after in pairwise(starts)),
    )


def _keyed(words: Sequence[tuple[str, float | None]]) -> list[tuple[str, float | None]]:
    """Comparison keys, each number as one, with the second at which each begins."""
    flat = [(key, start) for text, start in words for key in tokens(text)]
    keyed: list[tuple[str, float | None]] = []
    passed = 0
    for number, first, last in numbers([key for key, _ in flat]):
        keyed += [*flat[passed:first], (number, flat[first][1])]
        passed = last + 1
    return keyed + flat[passed:]


@dataclass(frozen=True, slots=True)
class Run:
    """The figures before and after joining and repair."""

    before: Figures
    after: Figures
    speech: Speech
    pieces: int
    joins_in_speech: int


def run(folder: Path, *, minutes: float, piece_seconds: float, models: Path) -> Run:
    recording = folder / "known.wav"
    said = record(recording, (Espeak(), Hibari()), minutes=minutes, piece_seconds=piece_seconds)
    local = LocalWhisper(models, workers=1)
    recorder = Recorder(local)
    try:
        scribe = Scribe(recorder, Ffmpeg(), HeardFiles(folder / "heard"), seconds=piece_seconds)
        speech = scribe.transcribe(recording, language="en")
    finally:
        local.close()
    audio = Ffmpeg()
    pieces = plan(
        audio.listen(recording), piece_seconds, quietest=lambda start, end: audio.quietest(recording, start, end)
    )
    in_speech = sum(second.start < first.end for first, second in pairwise(pieces))
    before, after = compare(said, recorder.laid_end_to_end(pieces)), compare(said, speech.words)
    return Run(before, after, speech, len(pieces), in_speech)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--piece-seconds", type=float, default=600.0, help="seconds between two cuts")
    parser.add_argument("--models", type=Path, default=Path("store/models"), help="where the packaged model is joined")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done = run(Path(folder), minutes=given.minutes, piece_seconds=given.piece_seconds, models=given.models)
    speech = done.speech
    print(
        f"{speech.duration / 60:.1f} minutes, {len(speech.words)} words, {done.pieces} pieces "
        f"({done.joins_in_speech} joined in the middle of speech), {speech.model}"
    )
    for name, figures in (("pieces laid end to end", done.before), ("joined and repaired", done.after)):
        print(
            f"{name}: word error rate {figures.word_error_rate:.2%} ({figures.inserted} inserted, {figures.deleted} "
            f"deleted, {figures.replaced} replaced); start off by {figures.start_median:.3f} s (median), "
            f"{figures.start_p95:.3f} s (p95) of {figures.timed_words} words; {figures.backward_steps} backward steps"
        )
    gaps = [(gap.start, gap.end, gap.reason) for gap in speech.gaps]
    print(f"gaps: {gaps or 'none'}; repairs: {dict(speech.repairs) or 'none'}")
    if given.json:
        settings = {"minutes": given.minutes, "piece_seconds": given.piece_seconds, "model": speech.model}
        metrics = {"before": asdict(done.before), "after": asdict(done.after)}
        given.json.write_text(json.dumps({"settings": settings, "metrics": metrics}, indent=1) + "\n")


if __name__ == "__main__":
    main()
