"""Recordings with a time for every word, and passages chosen from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from eval.runs import file_hash
from qandai.cli.aligning import read_recording
from qandai.errors import TranscriptError, UsageError
from qandai.model import Row

_KINDS = (".json", ".json3", ".vtt", ".srt")
_SHORTEST, _LONGEST = 15, 60  # words of a passage
_FEWEST_WORDS = 300  # of a recording
_FEWEST_EXACT = 0.3  # share of its words that are exactly timed
_MOST_BEFORE, _MOST_AFTER = 160, 160  # words of an excerpt around its passage


@dataclass(frozen=True, slots=True)
class Passage:
    """`count` words from place `first` of recording number `recording`, in the excerpt from `low` to before `high`."""

    recording: int
    first: int
    count: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Held:
    """What was read: rows, and of each file its name, hash and number of words."""

    rows: tuple[Row, ...]
    files: tuple[dict[str, object], ...]


def recordings(folders: Sequence[Path]) -> Held:
    """The word-timed recordings of some folders; files without enough exactly timed words are passed over.

    Raises UsageError where there are fewer than two: quotes are also looked for where they were not said.
    """
    rows: list[Row] = []
    files: list[dict[str, object]] = []
    for path in sorted(path for folder in folders for path in folder.iterdir() if path.suffix in _KINDS):
        try:
            transcript = read_recording(path)
        except TranscriptError:
            continue  # an index, a questions file, music
        if len(transcript.words) < _FEWEST_WORDS or transcript.exact_share < _FEWEST_EXACT:
            continue
        rows.append(transcript.row)
        files.append({"path": path.name, "sha256": file_hash(path), "words": len(transcript.words)})
    if len(rows) < 2:
        raise UsageError(
            f"{len(rows)} word-timed recordings in {', '.join(map(str, folders))}; at least two are needed.",
            hint=f"Wanted are files of {_FEWEST_WORDS} words or more with a time for each, such as json3 captions.",
        )
    return Held(tuple(rows), tuple(files))


def choose(rows: Sequence[Row], count: int, seed: int) -> list[Passage]:
    """Passages that start on an exactly timed word, from each recording as many as its length deserves."""
    rng = Random(seed)
    chosen: list[Passage] = []
    lengths = [len(row.words) for row in rows]
    while len(chosen) < count:
        recording = rng.choices(range(len(rows)), lengths)[0]
        size = rng.randint(_SHORTEST, _LONGEST)
        first = rng.randrange(lengths[recording] - size)
        low = max(0, first - rng.randrange(_MOST_BEFORE))
        high = min(lengths[recording], first + size + rng.randrange(_MOST_AFTER // 4, _MOST_AFTER))
        if rows[recording].words[first].exact:
            chosen.append(Passage(recording, first, size, low, high))
    return chosen
