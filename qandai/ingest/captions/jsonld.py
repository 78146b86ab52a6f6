"""JSON-LD transcripts as hand-made archives keep them: `text`, a list of cues with ISO 8601 times ("PT1M2.5S").

A cue's text is a string, or a list of strings and of objects that link a part of it.
"""

from __future__ import annotations

import re

from qandai.ingest.captions import cues
from qandai.ingest.captions.cues import Cue
from qandai.ingest.captions.draft import Draft, Json, text_of
from qandai.ingest.captions.recognised import label, objects

NAME = "JSON-LD"
_PERIOD = re.compile(r"P?T?(?:([0-9]{1,6})H)?(?:([0-9]{1,8})M)?(?:([0-9]{1,9}(?:\.[0-9]{1,9})?)S)?\Z")


def fits(document: Json) -> bool:
    return isinstance(document, dict) and {"startTime", "text"} <= next(iter(objects(document.get("text"))), {}).keys()


def read(document: Json) -> Draft:
    assert isinstance(document, dict)
    found = [
        Cue(
            _seconds(item.get("startTime")),
            _seconds(item.get("endTime")),
            _text(item.get("text")),
            _speaker(item.get("speaker")),
        )
        for item in objects(document.get("text"))
    ]
    segments, repairs = cues.segments(found, tagged=True)  # [smiling], [shakes head]
    return Draft(segments, recognised=False, repairs=dict(repairs))


def _seconds(value: Json) -> float | None:
    match = _PERIOD.match(text_of(value))
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds = match.groups(default="0")
    return round(int(hours) * 3600 + int(minutes) * 60 + float(seconds), 3)


def _text(value: Json) -> str:
    if isinstance(value, list):
        return "".join(text_of(part.get("text")) if isinstance(part, dict) else text_of(part) for part in value)
    return text_of(value)


def _speaker(value: Json) -> str | None:
    names = [name for item in (value if isinstance(value, list) else [value]) if (name := label(item))]
    return " & ".join(names) or None
