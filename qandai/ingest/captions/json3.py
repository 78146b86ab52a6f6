"""YouTube's own caption document (`fmt=json3`), automatic and hand-made. Its milliseconds end here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qandai.errors import NoSpeech, TranscriptError
from qandai.ingest.captions import cues, pieces
from qandai.ingest.captions.cues import Cue
from qandai.ingest.captions.draft import Draft, Json, seconds
from qandai.ingest.captions.pieces import Piece

NAME = "json3"
_FOREVER = float("inf")
_AUTOMATIC = ("wWinId", "aAppend")  # rolling windows; a hand-made track has none


def fits(document: Json) -> bool:
    return isinstance(document, dict) and ("wireMagic" in document or isinstance(document.get("events"), list))


def read(document: Json) -> Draft:
    """Raises NoSpeech where there are no events, TranscriptError where they are something else."""
    assert isinstance(document, dict)
    events = document.get("events")
    if events is None or events == []:
        raise NoSpeech("no speech: the document has no caption events.")
    if not isinstance(events, list):
        raise TranscriptError("`events` is no list.")
    spoken: list[tuple[Mapping[str, Json], Sequence[Mapping[str, Json]]]] = []
    duration = None
    for number, event in enumerate(events, start=1):
        if not isinstance(event, dict):
            raise TranscriptError(f"event {number} is no caption event but {type(event).__name__}.")
        segs = event.get("segs")
        if isinstance(segs, list):
            objects = [seg for seg in segs if isinstance(seg, dict)]
            if len(objects) < len(segs):
                raise TranscriptError(f"event {number} has a seg that is no object.")
            spoken.append((event, objects))
        elif "id" in event:  # a caption window stays open for the whole video
            duration = max(duration or 0.0, _milliseconds(event.get("dDurationMs")) or 0.0) or None
    if duration is not None or any(map(_is_automatic, spoken)):
        segments, repairs = pieces.segments(_pieces(spoken))
        return Draft(segments, "auto", recognised=False, duration=_seconds(duration), repairs=repairs)
    segments, counted = cues.segments([_cue(event, segs) for event, segs in spoken])
    return Draft(segments, "manual", recognised=False, repairs=dict(counted))


def _is_automatic(spoken: tuple[Mapping[str, Json], Sequence[Mapping[str, Json]]]) -> bool:
    event, segs = spoken
    return any(key in event for key in _AUTOMATIC) or any("tOffsetMs" in seg for seg in segs)


def _pieces(spoken: Sequence[tuple[Mapping[str, Json], Sequence[Mapping[str, Json]]]]) -> list[Piece]:
    found: list[Piece] = []
    add = found.append
    base = 0.0
    for number, (event, segs) in enumerate(spoken):
        start = _milliseconds(event.get("tStartMs"))
        timed = start is not None
        base = base if start is None else max(0.0, start)
        length = _milliseconds(event.get("dDurationMs"))
        limit = (base + length) / 1000 if length else _FOREVER
        for seg in segs:
            text = seg.get("utf8")
            if not isinstance(text, str) or not text or text.isspace():
                continue
            offset = seg.get("tOffsetMs", 0)
            if type(offset) is not int:
                offset = _milliseconds(offset) or 0.0
            add(((base + offset) / 1000, text, number, limit, timed))
    return found


def _cue(event: Mapping[str, Json], segs: Sequence[Mapping[str, Json]]) -> Cue:
    start = _milliseconds(event.get("tStartMs"))
    length = _milliseconds(event.get("dDurationMs"))
    end = start + length if start is not None and length else None
    text = "".join(part for seg in segs if isinstance(part := seg.get("utf8"), str))
    return Cue(_seconds(start), _seconds(end), text)


def _milliseconds(value: Json) -> float | None:
    return value if type(value) is int and abs(value) < 1e12 else seconds(value)


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
