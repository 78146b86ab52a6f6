"""The podcast namespace's JSON transcript: `segments` of a speaker, a start and a `body`, which may be one word."""

from __future__ import annotations

from qandai.ingest.captions import cues
from qandai.ingest.captions.cues import Cue
from qandai.ingest.captions.draft import Draft, Json, text_of
from qandai.ingest.captions.recognised import Heard, draft, label, objects, times

NAME = "podcast JSON"
_MOST = 0.8  # share of one-word segments from which on the file times words


def fits(document: Json) -> bool:
    return (
        isinstance(document, dict) and {"startTime", "body"} <= next(iter(objects(document.get("segments"))), {}).keys()
    )


def read(document: Json) -> Draft:
    assert isinstance(document, dict)
    found: list[Cue] = []
    speaker: str | None = None
    for item in objects(document.get("segments")):
        speaker = label(item.get("speaker")) or speaker  # often given only where it changes
        found.append(Cue(*times(item, "startTime", "endTime"), text_of(item.get("body")), speaker))
    single = sum(len(cue.text.split()) <= 1 for cue in found)
    if single >= _MOST * len(found):
        return draft([Heard(cue.text.strip(), cue.start, cue.end, cue.speaker) for cue in found if cue.text.strip()])
    segments, repairs = cues.segments(found)
    return Draft(segments, repairs=dict(repairs))
