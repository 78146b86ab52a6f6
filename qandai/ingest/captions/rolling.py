"""Rolling captions: two rows of which the upper repeats what was said before. Each word must come once.

YouTube's automatic VTT shows a line while it is built, word by word with inline times; then 10 ms of it finished;
then carried, as the upper row of the next. Converted to SRT the times are gone and the repetition stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from qandai.ingest.captions import clean
from qandai.ingest.captions.cues import Cue
from qandai.ingest.captions.draft import clock
from qandai.ingest.captions.pieces import Piece

_STAMP = re.compile(r"<(\d+:[\d:.,]+)>")
_PAUSE = 0.5  # seconds; behind a longer gap the window was cleared, so an equal line was said again
_HABIT = 0.4  # share of cues that begin with the line before, from which on it is no coincidence


def has_stamps(text: str) -> bool:
    return _STAMP.search(text) is not None


def pieces(cues: Sequence[Cue]) -> list[Piece]:
    """The timed pieces of cues with inline times, carried rows left out. Cues without a time are left out too."""
    found: list[Piece] = []
    for number, (cue, lines) in enumerate(_fresh(cues)):
        if cue.start is None:
            continue
        limit = float("inf") if cue.end is None else cue.end
        at: float = max(0.0, cue.start)
        for line in lines:
            first, *stamped = _STAMP.split(line)
            chunks = [first, *stamped[1::2]]
            times = [at, *(clock(stamp) or at for stamp in stamped[::2])]
            for start, chunk in zip(times, chunks, strict=True):
                if chunk.strip():
                    found.append((max(at, start), clean.plain(chunk), number, limit, True))
                at = max(at, start)
    return found


def unrolled(cues: Sequence[Cue]) -> list[Cue]:
    """Cues without inline times; if the rows of this file roll, what is carried is left out."""
    displays = [_lines(cue) for cue in cues]
    carried = sum(bool(now and before) and now[0] == before[-1] for before, now in pairwise(displays))
    if carried < 3 or carried < _HABIT * len(cues):
        return list(cues)
    return [cue._replace(text="\n".join(lines)) for cue, lines in _fresh(cues) if lines]


def _fresh(cues: Sequence[Cue]) -> list[tuple[Cue, list[str]]]:
    """Each cue with the lines that the one before did not show already. A stamped line is always new."""
    found: list[tuple[Cue, list[str]]] = []
    shown: list[str] = []
    cleared = 0.0
    for cue in cues:
        lines = _lines(cue)
        if cue.start is not None and cue.start - cleared > _PAUSE:
            shown = []
        display = [_STAMP.sub("", clean.plain(line)).strip() for line in lines]
        carried = next(
            size
            for size in range(min(len(shown), len(display)), -1, -1)
            if shown[len(shown) - size :] == display[:size] and not any(map(has_stamps, lines[:size]))
        )
        found.append((cue, lines[carried:]))
        shown = display
        cleared = cue.end if cue.end is not None else cleared
    return found


def _lines(cue: Cue) -> list[str]:
    return [line for line in cue.text.splitlines() if line.strip()]
