"""The transcript file: JSON to `Transcript` and back. docs/transcript.schema.json describes what is written.

Read are also a bare list of segments, `[{"start","text","duration"}]`, and the flat object with `video_id`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from qandai.adapters.transcript_header import FlatFile, HeaderFile, checked, named_id
from qandai.adapters.transcript_segments import read_segments
from qandai.errors import TranscriptError
from qandai.model import Provenance, Transcript, Video, Word
from qandai.words import glued, joins

FORMAT = 1

__all__ = ["FORMAT", "decode", "encode", "named_id"]


def decode(document: Any, *, stem: str) -> Transcript:
    """`stem`, the file's name without `.json`, is the id of a bare list. Raises TranscriptError with the reason."""
    if isinstance(document, list):
        if named_id(document, stem) is None:
            raise TranscriptError(
                "a bare list of segments takes its id from the file's name, and this is none.",
                hint="Rename the file: letters, digits, - and _, at most 64.",
            )
        words, starts = read_segments(document)
        return Transcript(Video(stem, stem), words, segments=starts)
    if not isinstance(document, dict):
        raise TranscriptError(f"a transcript is an object or a list of segments, not {type(document).__name__}.")
    if "format" not in document:
        flat = checked(FlatFile, document)
        words, starts = read_segments(document.get("segments"))
        return Transcript(flat.video(), words, Provenance(origin=flat.source), starts)
    version = document["format"]
    if version != FORMAT or isinstance(version, bool):
        raise TranscriptError(f"format {version!r} is not known, only {FORMAT}.", hint="Update the program.")
    header = checked(HeaderFile, document)
    words, starts = read_segments(document.get("segments"))
    gaps = tuple(gap.gap() for gap in header.gaps)
    return Transcript(header.video.video(), words, header.provenance.provenance(), starts, gaps, header.repairs)


def encode(transcript: Transcript) -> bytes:
    """UTF-8, a segment a line, so that versions can be compared. Raises TranscriptError."""
    video, provenance = transcript.video, transcript.provenance
    header = {
        "format": FORMAT,
        "video": {
            "id": video.id,
            "title": video.title,
            "source": video.source,
            "url": video.url,
            "published": video.published,
            "duration": video.duration,
            "channel": video.channel,
            "language": video.language,
        },
        "provenance": {
            "captions": provenance.captions,
            "model": provenance.model,
            "origin": provenance.origin,
            "fetched_at": provenance.fetched_at,
            "exact_share": round(transcript.exact_share, 4),
        },
        "gaps": [{"start": gap.start, "end": gap.end, "reason": gap.reason} for gap in transcript.gaps],
        "repairs": dict(transcript.repairs),
    }
    try:
        lines = ",\n".join(_json(segment) for segment in _segments(transcript))
        return f'{_json(header)[:-1]}, "segments": [\n{lines}\n]}}\n'.encode()
    except (UnicodeEncodeError, ValueError) as exc:
        raise TranscriptError(f"{video.id} cannot be written: {exc}") from exc


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _segments(transcript: Transcript) -> list[dict[str, object]]:
    """A segment has one speaker, so one begins wherever the speaker changes too."""
    words = transcript.words
    starts = {0, *transcript.segments} | {
        number for number in range(1, len(words)) if words[number].speaker != words[number - 1].speaker
    }
    borders = [*sorted(number for number in starts if 0 <= number < len(words)), len(words)]
    found: list[dict[str, object]] = []
    heard: str | None = None
    for first, after in pairwise(borders):
        said = words[first:after]
        previous = words[first - 1] if first else None
        found.append(_segment(said, previous, heard))
        heard = said[0].speaker or heard
    return found


def _segment(said: Sequence[Word], previous: Word | None, heard: str | None) -> dict[str, object]:
    """`previous` is the word before, `heard` who spoke last: what a reader concludes from them is not written."""
    first = said[0]
    texts = [word.text for word in said]
    text = "".join(word.text if word.glued else f" {word.text}" for word in said).lstrip(" ")
    concluded = [*glued(texts, text)]
    concluded[0] = previous is not None and joins(previous.text, first.text)
    is_turn = previous is not None and first.speaker is not None and first.speaker != heard
    written: list[dict[str, object]] = []
    for number, word in enumerate(said):
        entry: dict[str, object] = {"word": word.text, "start": word.start, "end": word.end}
        if not word.exact:
            entry["estimated"] = True
        if word.turn != (is_turn and number == 0):
            entry["turn"] = word.turn
        if word.glued != concluded[number]:
            entry["glued"] = word.glued
        written.append(entry)
    segment: dict[str, object] = {"start": first.start, "end": max(word.end for word in said), "text": text}
    if first.speaker is not None:
        segment["speaker"] = first.speaker
    return segment | {"words": written}
