"""autoEdit 2: `text`, its speakers' paragraphs, their lines, their words."""

from __future__ import annotations

from qandai.ingest.captions.draft import Draft, Json, seconds, text_of
from qandai.ingest.captions.recognised import Heard, draft, label, objects, times

NAME = "autoEdit"
_NOBODY = "Unnamed Speaker"


def fits(document: Json) -> bool:
    return isinstance(document, dict) and "paragraph" in next(iter(objects(document.get("text"))), {})


def read(document: Json) -> Draft:
    assert isinstance(document, dict)
    words: list[Heard] = []
    for part in objects(document.get("text")):
        named = label(part.get("speaker"))
        speaker = None if named == _NOBODY else named
        for paragraph in objects(part.get("paragraph")):
            words.extend(
                Heard(text_of(item.get("text")), *times(item, "startTime", "endTime"), speaker)
                for item in objects(paragraph.get("line"))
            )
    metadata = document.get("metadata")
    duration = seconds(metadata.get("duration")) if isinstance(metadata, dict) else None
    return draft(words, duration=duration)
