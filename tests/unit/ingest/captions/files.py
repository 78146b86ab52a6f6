"""Caption files in a few words: what each test varies stands in the test."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from qandai.ingest.captions import Parsed, parse
from qandai.model import join


def json3(*events: Mapping[str, object]) -> bytes:
    return json.dumps({"wireMagic": "pb3", "events": list(events)}).encode()


def event(start: object, *segs: str | tuple[str, object], lasts: object = None, **more: object) -> dict[str, object]:
    """`segs` are texts, or texts with their offset in milliseconds."""
    listed = [{"utf8": seg} if isinstance(seg, str) else {"utf8": seg[0], "tOffsetMs": seg[1]} for seg in segs]
    length = {} if lasts is None else {"dDurationMs": lasts}
    return {"tStartMs": start, **length, "segs": listed, **more}


WINDOW = {"tStartMs": 0, "dDurationMs": 3574069, "id": 1, "wpWinPosId": 1}


def vtt(*cues: tuple[str, str], header: str = "WEBVTT") -> bytes:
    """Cues are ("0.5 2.0", text): start and end in seconds."""
    blocks = [f"{_clock(times.split()[0])} --> {_clock(times.split()[1])}\n{text}" for times, text in cues]
    return "\n\n".join([header, *blocks, ""]).encode()


def _clock(seconds: str) -> str:
    whole, milliseconds = divmod(round(float(seconds) * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{milliseconds:03}"


def whisper(*segments: Mapping[str, object], **more: object) -> bytes:
    return json.dumps({"text": "", "segments": list(segments), "language": "en", **more}).encode()


def segment(start: float, end: float, text: str, words: Sequence[object] = (), **more: object) -> dict[str, object]:
    """`words` are (text, start, end), or texts that nobody timed."""
    listed = [{"word": w} if isinstance(w, str) else {"word": w[0], "start": w[1], "end": w[2]} for w in words]
    return {"start": start, "end": end, "text": text, **({"words": listed} if words else {}), **more}


def timed(parsed: Parsed) -> list[tuple[str, float]]:
    return [(word.text, word.start) for word in parsed.words]


def read(content: bytes) -> list[tuple[str, float]]:
    return timed(parse(content))


def text(content: bytes) -> str:
    return join(parse(content).words)
