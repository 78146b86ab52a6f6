"""WebVTT: plain, with voices (`<v Name>`), with inline times (karaoke, YouTube's rolling automatic form)."""

from __future__ import annotations

import re
from itertools import takewhile

from qandai.ingest.captions import blocks, cues, pieces, rolling
from qandai.ingest.captions.cues import Cue
from qandai.ingest.captions.draft import Draft

NAME = "WebVTT"
_HEADER = re.compile(r"(Kind|Language|Video)\s*:\s*(\S+)", re.IGNORECASE)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]{1,60})>")


def fits(text: str) -> bool:
    return text.startswith("WEBVTT")


def read(text: str) -> Draft:
    lines = text.split("\n")
    header: dict[str, str] = {}
    for line in takewhile(lambda line: line.strip() and not blocks.is_timing(line), lines[1:]):
        if match := _HEADER.match(line):
            header[match[1].casefold()] = match[2]
    found = [Cue(b.start, b.end, _VOICE.sub(_label, b.text)) for b in blocks.read(lines, keep_strays=False)]
    if rolling.has_stamps(text):
        segments, repairs = pieces.segments(rolling.pieces(found))
        return Draft(segments, "auto", False, header.get("language"), video_id=header.get("video"), repairs=repairs)
    segments, counted = cues.segments(rolling.unrolled(found))
    return Draft(segments, language=header.get("language"), video_id=header.get("video"), repairs=dict(counted))


def _label(match: re.Match[str]) -> str:
    """A voice as a label at the start of a line, the way other files write speakers."""
    return f"\n[{match[1].strip().replace('[', '(').replace(']', ')')}]: "
