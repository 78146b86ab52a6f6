"""SubRip: numbered cues, a comma before the milliseconds."""

from __future__ import annotations

from itertools import islice

from qandai.ingest.captions import blocks, cues, rolling
from qandai.ingest.captions.cues import Cue
from qandai.ingest.captions.draft import Draft

NAME = "SRT"


def fits(text: str) -> bool:
    """A timing line among the first lines that are not empty."""
    return any(map(blocks.is_timing, islice(filter(None, text.split("\n")), 10)))


def read(text: str) -> Draft:
    found = [Cue(block.start, block.end, block.text) for block in blocks.read(text.split("\n"), keep_strays=True)]
    segments, repairs = cues.segments(rolling.unrolled(found))
    return Draft(segments, repairs=dict(repairs))
